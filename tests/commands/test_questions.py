"""dpfair domain, train and predict ask the same about a table, and a draft fits its own file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dpfair_cli.estimator import DpfairClassifier
from dpfair_cli.formats.domain_file import read_domain
from tests.commands.invoking import preview_of, works
from tests.commands.material import COLUMNS, changed, people, write

TRAIN = (*COLUMNS, "--method", "logistic_regression")
NAMES = ("age", "work", "sex", "rich")


def asked_by_draft(*options):
    """The questions of `dpfair domain` about own.csv."""
    printed = works("domain", "own.csv", *COLUMNS, "--out", "own.yaml", "--force", *options).stdout
    return re.findall(r"^  \? (.*)", printed, re.MULTILINE)


def asked_by_training(*options):
    """The questions of `dpfair train` about own.csv."""
    lines = preview_of(works("train", "own.csv", *TRAIN, *options).stderr)
    return [line.removeprefix("  ? ") for line in lines if line.startswith("  ? ")]


def with_column(name, cells):
    """Writes the people with one more column."""
    lines = [[cell, *line] for cell, line in zip(cells, people(), strict=True)]
    write("own.csv", lines, (name, *NAMES))


@pytest.mark.usefixtures("own")
def test_every_entry_asks_the_same_and_nothing_of_a_clean_table():
    assert asked_by_draft() == asked_by_training() == []
    lines = people()
    for k in range(0, 60, 20):
        lines[k][0] = "-999"
    write("own.csv", lines)
    (question,) = asked_by_draft()
    assert question.startswith("3 cells of age are -999, and the others are ")
    assert asked_by_training() == asked_by_training("--domain", "own.yaml") == [question]
    works("train", "own.csv", *TRAIN, "--domain", "own.yaml", "--save", "model.json")
    assert question in works("predict", "model.json", "own.csv").stderr


def test_the_estimator_asks_about_codes():
    X = [[float(k % 50), 999.0 if k % 20 == 0 else float(k % 30)] for k in range(100)]
    classifier = DpfairClassifier("logistic_regression", low=0, high=1000, classes=[0, 1])
    with pytest.warns(UserWarning, match="5 cells of x1 are 999, and the others are 0 to 29"):
        classifier.fit(X, [k % 2 for k in range(100)])


@pytest.mark.usefixtures("own")
def test_a_draft_asks_about_a_column_that_tells_the_label():
    with_column("after", [f"was {line[3]}" for line in people()])
    (question,) = asked_by_draft()
    assert question.startswith("after alone tells the label of every row")
    assert asked_by_training() == [question]


@pytest.mark.usefixtures("own")
def test_the_twin_of_the_protected_column_is_left_out():
    with_column("gender", [line[2] for line in people()])
    asked_by_draft()
    assert [*read_domain("own.yaml").columns] == [*NAMES]
    with_column("answer", [line[3] for line in people()])
    asked_by_draft()
    assert [*read_domain("own.yaml").columns] == [*NAMES]


@pytest.mark.usefixtures("own")
def test_a_column_with_a_number_in_its_name_is_not_doubled():
    with_column("age_2", [str(k % 7) for k in range(60)])
    assert asked_by_draft() == []
    with_column("age", [str(k % 7) for k in range(60)])
    assert asked_by_draft() == [
        "a name occurs twice in the heading: the second column is called age_2"
    ]


@pytest.mark.usefixtures("own")
def test_a_label_that_is_empty_or_one_value_is_asked_about():
    write("own.csv", [[*line[:3], line[3].replace("no", "")] for line in people()])
    assert asked_by_draft() == ["rich is 'yes' or empty: do the empty cells mean the opposite?"]
    assert read_domain("own.yaml").columns["rich"].levels == ("missing", "yes")
    assert "proved" not in works("train", "own.csv", *TRAIN, "--domain", "own.yaml").stdout


@pytest.mark.usefixtures("own")
def test_a_heading_of_numbers_is_known_by_the_given_names():
    write("own.csv", people(), ("0", "007", "1e3", "rich"))
    roles = ("--label", "rich", "--protected", "1e3")
    works("domain", "own.csv", *roles)
    assert [*read_domain("own.yaml").columns] == ["0", "007", "1e3", "rich"]
    options = (*roles, "--domain", "own.yaml", "--method", "pflr", "--save", "model.json")
    works("train", "own.csv", *options)
    assert works("predict", "model.json", "own.csv").stdout.count("\n") == 61


@pytest.mark.parametrize("sign", ["\n", "\u2028", "\x85", '"\n'])
@pytest.mark.usefixtures("own")
def test_a_draft_fits_its_own_file_with_line_breaks_in_levels(sign):
    write("own.csv", changed(1, f'"pri{sign}vate"'.replace('pri"', 'pri""'), every=3))
    works("domain", "own.csv", *COLUMNS)
    lines = preview_of(works("train", "own.csv", *TRAIN, "--domain", "own.yaml").stderr)
    assert [line for line in lines if line.startswith("  outside   0 of ")]


@pytest.mark.usefixtures("own")
def test_infinite_cells_become_the_nearest_end_as_the_draft_says():
    write("own.csv", changed(0, "inf", every=5))
    (question,) = asked_by_draft()
    fate = "become the nearest end of the range: correct them"
    assert question == (
        f"12 cells of age are above 1e+100 in absolute value, such as 'inf', and {fate}"
    )
    (question,) = asked_by_training("--domain", "own.yaml")
    assert question.startswith(
        "12 cells, such as 'inf', of age become the nearest end of the range"
    )


@pytest.mark.usefixtures("own")
def test_long_numbers_that_differ_are_identifiers():
    with_column("person", [str(2**60 + k * k) for k in range(60)])
    (question,) = asked_by_training()
    assert question.startswith("person seems to be a different whole number in each row")
    asked_by_draft()
    assert [*read_domain("own.yaml").columns] == [*NAMES]


@pytest.mark.usefixtures("own")
def test_the_copy_with_other_line_ends_gets_the_same_split():
    works("domain", "own.csv", *COLUMNS)
    options = (*TRAIN, "--domain", "own.yaml", "--seed", "1")
    scores = works("train", "own.csv", *options).stdout
    Path("own.csv").write_bytes(Path("own.csv").read_bytes().replace(b"\n", b"\r\n"))
    assert works("train", "own.csv", *options).stdout == scores


@pytest.mark.usefixtures("own")
def test_confirming_asks_by_name_about_what_was_not_edited():
    works("domain", "own.csv", *COLUMNS)
    draft = Path("own.yaml").read_text()
    assert "? age, work, sex, rich: each entry is as it was drafted" in confirmed()
    Path("own.yaml").write_text(draft.replace("[a, b, c]", "[a, b, c, d]"))
    assert "? age: each entry is as it was drafted" in confirmed()
    Path("own.yaml").write_text(re.sub("low: [0-9]+", "low: 0", draft))
    assert "as it was drafted" not in confirmed()


def confirmed():
    """What `dpfair domain --confirm` prints about own.yaml."""
    return works("domain", "--confirm", "own.yaml").stdout


@pytest.mark.usefixtures("own")
def test_ends_of_a_public_range_that_the_table_attains_are_asked_about():
    works("domain", "own.csv", *COLUMNS)
    works("domain", "--confirm", "own.yaml")
    (question,) = asked_by_training("--domain", "own.yaml")
    assert question.startswith("the range of age is from the least to the largest number of the t")
    text = Path("own.yaml").read_text()
    Path("own.yaml").write_text(re.sub("low: [0-9]+", "low: 10", text))
    assert asked_by_training("--domain", "own.yaml") == []
