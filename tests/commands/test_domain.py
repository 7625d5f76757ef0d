"""dpfair domain: a draft of what becomes of each column, with what to look at, by which nothing is
private yet.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from dpfair_cli.commands import main
from dpfair_cli.formats import domain_draft
from dpfair_cli.formats.domain_file import read_domain
from tests import made_files
from tests.commands.invoking import mistake, works
from tests.commands.material import COLUMNS, changed, people, write


def drafted(name, *options):
    """The domain file that is drafted from a made-up file with its roles, and what is printed."""
    label, positive, protected = made_files.ROLES[name]
    file = made_files.write(Path(), name)
    roles = ("--label", label, "--positive", positive, "--protected", protected)
    result = works("domain", file, *roles, *options)
    domain, after = result.stderr.splitlines()
    assert after == f"next: dpfair domain --confirm {domain}"
    return read_domain(domain), result.stdout


@pytest.mark.parametrize("name", made_files.WRITERS)
@pytest.mark.usefixtures("place")
def test_tables_as_they_are_distributed_go_from_draft_to_model(name):
    label, positive, protected = made_files.ROLES[name]
    found, printed = drafted(name)
    assert printed.startswith(f"{made_files.NAMES[name]}: 300 rows; ")
    assert found.columns[label].levels[-1] == positive
    assert not found.confirmed
    file, domain = made_files.NAMES[name], f"{made_files.NAMES[name].split('.')[0]}.yaml"
    columns = ("--label", label, "--protected", protected, "--domain", domain)
    text = works("train", file, *columns, "--method", "functional_mechanism").stdout
    assert "not private: bounds from data" in text
    assert "proved" not in text
    works("domain", "--confirm", domain)
    text = works("train", file, *columns, "--method", "functional_mechanism").stdout
    assert "bounds from data" not in text
    assert "proved" in text


@pytest.mark.usefixtures("own")
def test_a_draft_names_every_column_with_its_use_and_is_read_back():
    lines = [
        [*line[:2], "" if k % 10 == 0 else line[2], line[3], f"id{k}"]
        for k, line in enumerate(people())
    ]
    lines[5][0] = "old"
    write("odd.csv", lines, ("age", "work", "sex", "rich", "name"))
    result = works("domain", "odd.csv", *COLUMNS)
    words = {
        line.split()[0]: " ".join(line.split()[1:]) for line in result.stdout.splitlines()[2:7]
    }
    assert words == {
        "age": "number from 18 to 89; 1 cells without a number become the level missing",
        "work": "3 levels",
        "sex": "groups: f, m, missing; some methods, such as pflr, accept only two groups",
        "rich": "label: yes is favourable, no not",
        "name": "left out: 60 different texts in 60 rows, names, dates or free text?",
    }
    assert "1 cells of age are no numbers, such as 'old'" in result.stdout
    assert "sex is empty in 6 rows, which form the group 'missing'" in result.stdout
    found = read_domain("odd.yaml")
    assert list(found.columns) == ["age", "work", "sex", "rich"]
    assert found.columns["sex"].levels == ("f", "m", "missing")


ANSWERS = ("no", "yes")
QUESTIONS = {  # what is odd -> (rows of age, work, sex, rich, a part of the question)
    "a label of 1 and 2": (
        [["20", "a", "f", "1"], ["30", "b", "m", "2"]],
        "rich: '2', the last of 1, 2, is taken as favourable",
    ),
    "groups that differ in capitals": (
        [
            ["20", "a", "F", "no"],
            ["30", "b", "m", "yes"],
            ["1", "a", "f", "no"],
            ["2", "b", "M", "yes"],
        ],
        "sex has the levels 'F' and 'f'",
    ),
    "a number as a group": (
        [[str(k), "a", str(20 + k), ANSWERS[k % 2]] for k in range(70)],
        "sex would make 70",
    ),
    "many groups": (
        [["1", "a", f"g{k}", ANSWERS[k % 2]] for k in range(12)],
        "sex makes 12 groups",
    ),
    "a third label": (
        [["1", "a", "fmf"[k], label] for k, label in enumerate(("no", "yes", "perhaps"))],
        "rich has 3 values: all but 'yes'",
    ),
    "no label": (
        [["1", "a", "fmf"[k], label] for k, label in enumerate(("no", "yes", ""))],
        "rich is empty in 1 rows, which count as 0",
    ),
    "cells beyond": (
        [["1", "a", "f", "no", "x"], ["2", "b", "m", "yes"], ["3", "b", "m", "no"]],
        "1 rows have more than 4",
    ),
    "cells that lack": (
        [["1", "a", "f", "no"], ["2", "b", "m", "yes"], ["3", "b"]],
        "1 rows have fewer than 4",
    ),
    "row names": (
        [[f"r{k}", "1", "a", "fm"[k % 2], "no"] for k in range(9)],
        "every row has one cell more than the",
    ),
    "decimal commas among words": (
        [[f'"{k},{k}0"', "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 10)]
        + [["old", "a", "f", "no"]],
        "age has 10 levels such as '1,10': are these numbers with a decimal comma?",
    ),
    "money": (
        [[f'"${k},000"', "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 70)],
        "age holds amounts such as '$1,000': to use them, write plain numbers",
    ),
    "money after the number": (
        [[f"{k} €", "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 10)],
        "age holds amounts such as '1 €': to use them, write plain numbers",
    ),
    "percent": (
        [[f"{k}%", "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 10)],
        "age holds amounts such as '1%': to use them, write plain numbers",
    ),
    "thousands": (
        [[f'"{k},000,000"', "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 10)],
        "age holds amounts such as '1,000,000': to use them, write plain numbers",
    ),
    "a huge number": (
        [[f"{k % 30}e{200 * (k == 1)}", "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 70)],
        "1 cells of age are above 1e+100 in absolute value, such as '1e200'",
    ),
    "numbers and words": (
        [["old" if k % 3 else f"{k}", "a", "fm"[k % 2], ANSWERS[k % 2]] for k in range(1, 100)],
        "66 cells of age are no numbers, such as 'old'",
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("place")
def test_what_a_person_should_look_at_is_asked(name):
    rows, question = QUESTIONS[name]
    if name == "row names":
        rows[0][-1] = "yes"
        write("own.csv", rows)
        assert question in works("domain", "own.csv").stdout
        return
    write("own.csv", rows)
    assert f"  ? {question}" in works("domain", "own.csv", *COLUMNS).stdout


@pytest.mark.parametrize(
    ("name", "cell", "rows", "use"),
    [
        ("", str, 8, "left out: the number of the row, an index?"),
        (
            "",
            lambda k: str(3 * k + 5),
            8,
            "left out: a different whole number in each row, an identifier?",
        ),
        ("nr", lambda k: str(k + 1), 8, "left out: the number of the row, an index?"),
        (
            "nr",
            lambda k: str(3 * k + 5),
            60,
            "left out: a different whole number in each row, an identifier?",
        ),
        ("weight", lambda k: str(3 * k + 5), 8, "number from 5 to 26"),
        ("weight", lambda k: str(k / 2), 60, "number from 0 to 29.5"),
        ("", lambda k: str(k // 2), 8, "number from 0 to 3"),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_column_that_names_the_rows_is_left_out_and_said(name, cell, rows, use):
    lines = [[cell(k), *line[1:]] for k, line in enumerate(people(rows))]
    write("own.csv", lines, (name, "work", "sex", "rich"))
    printed = works("domain", "own.csv", *COLUMNS).stdout.splitlines()[2]
    assert printed.split(None, 1) == [name or "column1", use]
    assert ("column1" in read_domain("own.yaml").columns) == (not name and use.startswith("number"))


@pytest.mark.usefixtures("own")
def test_all_questions_of_a_file_are_asked_at_once_and_none_of_a_plain_one():
    assert "questions" not in works("domain", "own.csv", *COLUMNS).stdout
    lines = [
        [*line[:2], line[2] if k % 2 else line[2].upper(), str(k % 3)]
        for k, line in enumerate(people())
    ]
    lines[3] = lines[3][:2]
    write("many.csv", lines)
    asked = works("domain", "many.csv", *COLUMNS).stdout.partition("questions to answer:")[2]
    assert (
        asked.count("  ? ") == 7
    )  # short rows, two pairs of capitals, an empty group, label: which, three, empty


@pytest.mark.usefixtures("place")
def test_an_age_as_the_group_is_cut_into_bins_that_can_be_trained_on():
    rows = [[str(k % 7), "ab"[k % 2], str(20 + k % 60), ANSWERS[k % 2]] for k in range(120)]
    write("own.csv", rows)
    works("domain", "own.csv", *COLUMNS)
    text = Path("own.yaml").read_text()
    assert "sex: {low: 20, high: 79, bins: [20, 35, 50, 65]}" in text
    Path("own.yaml").write_text(text.replace("[20, 35, 50, 65]", "[20, 40]"))
    works(
        "train", "own.csv", *COLUMNS, "--domain", "own.yaml", "--method", "pflr"
    )  # takes two groups alone


@pytest.mark.usefixtures("own")
def test_a_carriage_return_inside_a_cell_makes_no_short_row():
    write("own.csv", changed(1, "a\rb", every=9))
    assert "fewer than" not in works("domain", "own.csv", *COLUMNS).stdout


@pytest.mark.usefixtures("own")
def test_nothing_is_private_by_a_draft_and_every_command_says_so():
    works("domain", "own.csv", *COLUMNS)
    options = (*COLUMNS, "--domain", "own.yaml")
    for command in (
        ("train", "--method", "pflr"),
        ("sweep", "--eps", "1", "--runs", "1", "--jobs", "1", "--out", "out"),
    ):
        result = works(command[0], "own.csv", *options, *command[1:])
        assert "PrivacyLeakWarning: own.yaml was drafted from the data" in result.stderr
        assert "proved" not in result.stdout
        assert "not private: bounds from data" in result.stdout
    works("domain", "--confirm", "own.yaml")
    result = works("train", "own.csv", *options, "--method", "pflr")
    assert "PrivacyLeakWarning" not in result.stderr
    assert "proved" in result.stdout


@pytest.mark.usefixtures("own")
def test_a_draft_never_takes_the_place_of_a_file():
    works("domain", "own.csv")
    Path("own.yaml").write_text("age: {low: 0, high: 99}\n")
    assert "own.yaml exists already" in mistake("domain", "own.csv")
    works("domain", "own.csv", "--out", "other.yaml")
    assert Path("own.yaml").read_text() == "age: {low: 0, high: 99}\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--label", "ritch"), "unknown column 'ritch' in the table: did you mean 'rich'?"),
        (
            ("--label", "rich", "--positive", "yess"),
            "no cell of the label 'rich' is 'yess': did you mean 'yes'?",
        ),
        (("--sep", "#"), "got '#'"),
        (("--encoding", "utf-7777"), "cannot be decoded in the encoding utf-7777"),
    ],
)
@pytest.mark.usefixtures("own")
def test_a_wrong_option_is_one_line(options, message):
    assert message in mistake("domain", "own.csv", *options)
    assert not Path("own.yaml").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no columns"),
        (b"a,b\n", "has a heading only"),
        (b'a,b\n1,"x\n', "must be a csv table"),
        (b"\0", "NUL bytes"),
    ],
)
@pytest.mark.usefixtures("place")
def test_a_file_without_a_table_is_one_line(content, message):
    Path("own.csv").write_bytes(content)
    assert message in mistake("domain", "own.csv")
    assert not Path("own.yaml").exists()


@pytest.mark.usefixtures("place")
def test_how_a_file_is_written_can_be_said():
    Path("own.data").write_bytes("2019;né;-\n1;ü;x\n2;x;-\n1;ü;x\n".encode("latin-1"))
    said = (
        "--sep",
        "semicolon",
        "--header",
        "year,name,kind",
        "--encoding",
        "latin-1",
        "--missing",
        "-",
    )
    works("domain", "own.data", *said)
    found = read_domain("own.yaml")
    assert (found.form.separator, found.form.encoding, found.form.header) == (
        ";",
        "latin-1",
        ("year", "name", "kind"),
    )
    assert found.columns["name"].levels == ("né", "x", "ü")
    assert found.columns["kind"].levels == ("x", "missing")


@pytest.mark.usefixtures("own")
def test_without_a_domain_all_problems_are_listed_with_what_to_do():
    lines = [["", "a", "f", "no"], ["30", "a", "f", "yes"], ["40", "a", "f", "perhaps"]]
    write("own.csv", lines)
    text = mistake("train", "own.csv", *COLUMNS, "--method", "pflr")
    first, *items = text.splitlines()
    assert first.startswith("4 problems; correct the table, or draft a domain file")
    assert first.endswith("dpfair domain own.csv")
    assert [item.split()[1:4] for item in items] == [
        ["the", "column", "'age'"],
        ["the", "column", "'work'"],
        ["the", "protected", "column"],
        ["the", "label", "'rich'"],
    ]


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        (2, "f", "the protected column 'sex' must have two different values"),
        (3, "no", "the label 'rich' must have two different values"),
    ],
)
def test_a_draft_without_two_groups_or_labels_is_refused(column, value, message):
    write("own.csv", changed(column, value))
    assert message in mistake("domain", "own.csv", *COLUMNS)


@pytest.mark.usefixtures("own")
def test_label_and_protected_column_are_two_columns():
    same = ("--label", "rich", "--protected", "rich")
    assert "must be two columns, got 'rich' for both" in mistake("domain", "own.csv", *same)


@pytest.mark.usefixtures("own")
def test_an_empty_column_is_called_empty():
    write("own.csv", changed(0, ""))
    assert "age   left out: empty in every row\n" in works("domain", "own.csv").stdout


def test_a_table_may_come_through_a_pipe(own, tmp_path):
    """The standard input is read once, and so is a pipe."""
    content = Path("own.csv").read_text()
    result = CliRunner().invoke(main, ["domain", "-", *COLUMNS], input=content)
    assert result.exit_code == 0, result.output
    works("domain", "own.csv", *COLUMNS)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    works("domain", pipe, *COLUMNS, "--out", "piped.yaml")
    writer.join()
    one, *others = (
        Path(name).read_text().partition("\n")[2]
        for name in ("own.yaml", "stdin.yaml", "piped.yaml")
    )
    assert [one, one] == others


@pytest.mark.usefixtures("own")
def test_a_separator_at_the_end_of_rows_makes_no_column_and_no_question():
    roles = ("--label", "rich", "--protected", "sex")
    heading, *rows = Path("own.csv").read_text().splitlines()
    Path("own.csv").write_text("\n".join([heading, *(f"{row}," for row in rows)]) + "\n")
    assert "one cell more" not in works("domain", "own.csv", *roles).stdout


@pytest.mark.usefixtures("own")
def test_a_project_file_gives_the_roles_and_the_name_of_the_draft():
    Path("dpfair.yaml").write_text(
        "file: own.csv\nlabel: rich\nprotected: sex\ndomain: facts.yaml\n"
    )
    said = works("domain", "own.csv").stderr
    assert "dpfair.yaml: --label rich --protected sex --domain facts.yaml" in said
    assert "rich: {levels:" in Path("facts.yaml").read_text()
    works("audit", "pflr", "own.csv", "--neighbours", 4)


@pytest.mark.usefixtures("own")
def test_a_draft_holds_nothing_of_the_data_but_its_ranges_and_levels():
    lines = Path("own.csv").read_text().splitlines()
    odd = ["SSN 078-05-1120,a,f,no", "123456,a,f,no"]  # a text and an outlier among the ages
    Path("own.csv").write_text("\n".join([*lines, *odd]) + "\n")
    said = works("domain", "own.csv", "--label", "rich", "--protected", "sex").stdout
    assert "SSN 078-05-1120" in said
    written = Path("own.yaml").read_text()
    assert "SSN" not in written
    assert "own.csv" not in written
    remarks = [line for line in written.splitlines() if line.startswith("#")]
    assert remarks[1:] == domain_draft.INTRODUCTION.splitlines()


@pytest.mark.usefixtures("own")
def test_a_confirmed_file_with_remarks_of_a_draft_is_refused():
    works("domain", "own.csv", "--label", "rich", "--protected", "sex")
    draft = Path("own.yaml").read_text()
    Path("own.yaml").write_text(draft.replace("confirmed: no", "confirmed: yes"))
    options = ("--label", "rich", "--protected", "sex", "--domain", "own.yaml")
    assert "remove them by `dpfair domain --confirm own.yaml`" in mistake(
        "train", "own.csv", *options, "--method", "pflr"
    )
    old = draft.replace("# Drafted by `dpfair domain`", "# Drafted from own.csv by `dpfair domain`")
    Path("own.yaml").write_text(old.replace("confirmed: no", "confirmed: yes"))
    assert "remarks of a draft" in mistake("train", "own.csv", *options, "--method", "pflr")


@pytest.mark.usefixtures("own")
def test_confirming_keeps_the_facts_and_removes_the_remarks():
    works("domain", "own.csv", "--label", "rich", "--protected", "sex")
    before = read_domain("own.yaml")
    said = works("domain", "--confirm", "own.yaml").stdout
    after = read_domain("own.yaml")
    assert (after.columns, after.form, after.confirmed) == (before.columns, before.form, True)
    assert "#" not in Path("own.yaml").read_text()
    assert "you declare that everybody may know this without the table" in said
