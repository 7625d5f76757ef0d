"""What is said of one's own table before anything runs: what was understood, what looks odd, what
cannot run.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.invoking import dpfair, mistake, preview_of, works
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, changed, people, write

TRAIN = ("--method", "functional_mechanism")


def facts(*arguments):
    """(facts by name, questions) of a command that works."""
    lines = preview_of(works(*arguments).stderr)
    stated = [line.split(None, 1) for line in lines if not line.startswith("  ? ")]
    return dict(stated), [line.removeprefix("  ? ") for line in lines if line.startswith("  ? ")]


def rows(**columns):
    """The people with other columns."""
    places = {"age": 0, "work": 1, "sex": 2, "rich": 3}
    lines = people()
    for name, value_of in columns.items():
        for k, line in enumerate(lines):
            line[places[name]] = value_of(k)
    return lines


@pytest.mark.usefixtures("own")
def test_what_was_understood_of_a_plain_table_is_said_without_a_question():
    lines = people()
    women, rich = sum(line[2] == "f" for line in lines), sum(line[3] == "yes" for line in lines)
    write("own.csv", [[*line, "x"] for line in lines], ("age", "work", "sex", "rich", "notes"))
    stated, questions = facts("train", "own.csv", *PUBLIC, *TRAIN)
    assert questions == []
    assert stated == {
        "file": "60 rows, none left out; ',' between cells, utf-8, a heading",
        "label": f"rich: 'yes' is favourable, {rich} rows; all other labels are not, "
        f"{60 - rich} rows",
        "groups": f"sex: f {women}, m {60 - women}",
        "features": "3 after encoding, of 2 columns; not used: notes",
        "gaps": "known to ± 0.48 (90 % interval of a difference between f and m)",
        "bounds": "public, as you declare",
        "outside": "0 of 240 cells are not as the domain file says: they are replaced by its rule "
        "(dpfair info csv)",
    }


@pytest.mark.usefixtures("own")
def test_without_a_domain_file_it_says_that_nothing_is_private():
    stated, questions = facts("train", "own.csv", *COLUMNS, *TRAIN)
    assert stated["bounds"] == "read from the data: nothing is private"
    assert questions == []


ODD = {  # what is odd -> (lines, a part of the question)
    "2 is taken as favourable": (
        rows(rich=lambda k: "12"[k % 2]),
        "rich: '2', the last of 1, 2, is taken as favourable",
    ),
    "f, F, m, M": (
        rows(sex=lambda k: "fFmM"[k % 4]),
        "sex has the levels 'F' and 'f': if these are one level",
    ),
    "an age as the group": (
        rows(sex=lambda k: str(20 + k)),
        "the protected column sex has 60 groups: choose a protected column with few values",
    ),
    "an identifier": (
        rows(work=lambda k: f"id{k}"),
        "work becomes 60 of 60 features: if it is a name, a date",
    ),
    "an index": (
        rows(age=str),
        "age seems to be the number of the row, an index, which says nothing about a record: leave "
        "the column out, in the file or with a domain",
    ),
    "a number of a person": (
        rows(age=lambda k: str(1000 + 37 * k % 601)),
        "age seems to be a different whole number in each row, an identifier, which says",
    ),
    "a sign of no value": (
        rows(age=lambda k: "99999" if k % 30 == 0 else str(18 + k)),
        "2 cells of age are 99999, and the others are 19 to 77: if this stands for a missing value",
    ),
    "thousands": (
        rows(work=lambda k: f'"{1 + k},500"'),
        "work holds amounts such as '1,500': to use them, write plain numbers",
    ),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.usefixtures("own")
def test_what_looks_odd_is_asked_before_anything_runs(name):
    lines, question = ODD[name]
    write("own.csv", lines)
    _, questions = facts("train", "own.csv", *COLUMNS, *TRAIN)
    assert [asked for asked in questions if asked.startswith(question)], questions


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("column", "value", "every", "count"),
    [
        (1, "A", 1, 60),
        (0, "old", 30, 2),
        (0, "17", 20, 3),
        (0, "1e400", 60, 1),
        (2, "x", 20, 3),
        (3, "maybe", 3, 20),
    ],
)
def test_how_many_cells_the_domain_file_does_not_know_is_said(column, value, every, count):
    write("own.csv", changed(column, value, every))
    stated, _ = facts("train", "own.csv", *PUBLIC, *TRAIN)
    assert stated["outside"].startswith(f"{count} of 240 cells are not as the domain file says")


@pytest.mark.usefixtures("own")
def test_cells_with_a_nul_byte_and_missing_cells_are_outside_the_domain():
    content = Path("own.csv").read_bytes().replace(b",a,", b",\0a,", 1) + b"40,a\n"
    Path("own.csv").write_bytes(content)
    stated, _ = facts("train", "own.csv", *PUBLIC, *TRAIN)
    assert stated["outside"].startswith("3 of 244 cells")


@pytest.mark.usefixtures("own")
def test_any_other_label_is_unfavourable_if_the_file_names_none():
    Path("domain.yaml").write_text(DOMAIN.replace("rich: {levels: [no, yes]}\n", ""))
    write("own.csv", changed(3, "maybe", 3))
    stated, _ = facts("train", "own.csv", *PUBLIC, "--positive", "yes", *TRAIN)
    assert stated["outside"].startswith("0 of 180 cells")


@pytest.mark.usefixtures("own")
def test_an_unnamed_column_is_questioned_only_if_each_row_differs():
    lines = [[str(7 * k), *line] for k, line in enumerate(people())][
        :40
    ]  # too few for a column with a name
    write("own.csv", lines, ("", "age", "work", "sex", "rich"))
    _, questions = facts("train", "own.csv", *COLUMNS, *TRAIN)
    assert [question.split(", which")[0] for question in questions] == [
        "column1 seems to be a different whole number in each row, an identifier"
    ]
    write("own.csv", lines, ("weight", "age", "work", "sex", "rich"))
    assert facts("train", "own.csv", *COLUMNS, *TRAIN)[1] == []


@pytest.mark.usefixtures("own")
def test_by_a_confirmed_domain_file_a_person_has_chosen_the_columns():
    write("own.csv", rows(age=lambda k: str(18 + k)))
    assert facts("train", "own.csv", *PUBLIC, *TRAIN)[1] == []


@pytest.mark.usefixtures("own")
def test_a_decimal_comma_is_a_number_and_no_question():
    write("own.csv", rows(age=lambda k: f'"{18 + k},5"'))
    stated, questions = facts("train", "own.csv", *COLUMNS, *TRAIN)
    assert stated["features"].startswith("3 after encoding")
    assert "decimal commas" in stated["file"]
    assert questions == []


@pytest.mark.usefixtures("own")
def test_who_says_which_label_is_favourable_is_not_asked():
    write("own.csv", rows(rich=lambda k: "12"[k % 2]))
    stated, questions = facts("train", "own.csv", *COLUMNS, "--positive", "1", *TRAIN)
    assert stated["label"] == "rich: '1' is favourable, 30 rows; all other labels are not, 30 rows"
    assert questions == []
    Path("domain.yaml").write_text(DOMAIN.replace("[no, yes]", "['2', '1']"))
    assert facts("train", "own.csv", *PUBLIC, *TRAIN)[1] == []


@pytest.mark.usefixtures("own")
def test_a_sweep_says_which_methods_cannot_run_once_and_runs_the_others():
    write("own.csv", changed(2, "x", 3))
    methods = ("relaxed_functional_mechanism", "pflr", "pflr_star")
    options = ("--eps", "0.1,1,10", "--runs", "2", "--jobs", "1", "--out", "out")
    given = [word for name in methods for word in ("--method", name)]
    result = dpfair("sweep", "own.csv", *COLUMNS, *options, *given)
    assert result.exit_code == 2
    cannot = [line for line in preview_of(result.stderr) if "cannot run" in line]
    assert cannot == [
        (
            "  cannot run  pflr, pflr_star (the records must have two groups for the decision "
            "boundary covariance, got 3 groups)"
        )
    ]
    assert "failed" not in result.stderr
    assert (
        "Cannot run: pflr, pflr_star (the records must have two groups for the decision "
        "boundary covariance, got 3 groups)."
    ) in result.stdout
    assert "relaxed_functional_mechanism  10" in result.stdout


@pytest.mark.usefixtures("own")
def test_a_method_for_more_people_is_refused_before_it_runs():
    message = mistake("train", "own.csv", *PUBLIC, "--method", "dpsgd")
    assert message.startswith("dpsgd on csv: ")
    assert "batch" in message
    result = dpfair("train", "own.csv", *PUBLIC, "--method", "dpsgd")
    assert [line for line in preview_of(result.stderr) if line.startswith("  cannot run  dpsgd (")]


@pytest.mark.usefixtures("own")
def test_data_sets_with_a_name_need_no_such_word():
    assert preview_of(works("train", "adult", *TRAIN, "--data-dir", "none").stderr) == []
