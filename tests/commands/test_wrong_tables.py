"""Tables with one thing wrong each: all are asked about or refused, and clean tables are not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import made_files
from tests.commands.invoking import dpfair
from tests.commands.material import COLUMNS, DOMAIN, PUBLIC, people, write

N = 300
HEADING = ("age", "work", "sex", "rich")
TRAIN = ("--method", "pflr", "--seed", "1")
Rows = list[list[str]]


def column(place: int, value: Callable[[int, list[str]], str]) -> Rows:
    """The people with another text in one column: `value` of the number of the row and the row."""
    return [[*row[:place], value(k, row), *row[place + 1 :]] for k, row in enumerate(people(N))]


def extra(value: Callable[[int, list[str]], str]) -> tuple[Rows, tuple[str, ...]]:
    """The people with one column more, and the heading."""
    rows = [[*row, value(k, row)] for k, row in enumerate(people(N))]
    return rows, (*HEADING, "after")


WITHOUT_DOMAIN = {  # what is wrong -> the rows and the heading
    "the label again": extra(lambda _, row: row[3]),
    "the complement of the label": extra(lambda _, row: "no" if row[3] == "yes" else "yes"),
    "the label in other words": extra(lambda _, row: "A" if row[3] == "no" else "B"),
    "a column that is right in 98 %": extra(
        lambda k, row: row[3] if k % 50 else "no" if row[3] == "yes" else "yes"
    ),
    "a number above a limit": extra(lambda k, row: str(k % 7 + 100 * (row[3] == "yes"))),
    "a number for each row": extra(lambda k, _: str(1000 + k)),
    "a group without a favourable label": (
        [[*row[:3], "no" if row[2] == "f" else row[3]] for row in people(N)],
        HEADING,
    ),
    "a group of three": (column(2, lambda k, _: "f" if k < 3 else "m"), HEADING),
    "one label": (column(3, lambda _, __: "yes"), HEADING),
    "one group": (column(2, lambda _, __: "m"), HEADING),
    "an empty column": (column(0, lambda _, __: ""), HEADING),
    "two spellings of a group": (
        column(2, lambda k, row: row[2].upper() if k % 9 == 0 else row[2]),
        HEADING,
    ),
    "names": extra(lambda k, _: f"person {k}"),
    "an extreme value": (column(0, lambda k, row: "1e9" if k == 5 else row[0]), HEADING),
}
WITH_DOMAIN = {  # what is wrong -> the rows and the domain file
    "a label that never occurs": (people(N), DOMAIN.replace("[no, yes]", "[no, Yes]")),
    "a group that never occurs": (people(N), DOMAIN.replace("[f, m]", "[f, m, x]")),
    "two groups in one": (people(N), DOMAIN.replace("[f, m]", "[f, male]")),
    "a third label": (column(3, lambda k, row: "maybe" if k % 5 == 0 else row[3]), DOMAIN),
    "money": (column(0, lambda _, row: f"${row[0]}.00"), DOMAIN),
    "a range of another unit": (people(N), DOMAIN.replace("18, high: 90", "1700, high: 9000")),
    "a range that is far too wide": (people(N), DOMAIN.replace("high: 90", "high: 90000")),
    "levels in place of numbers": (column(0, lambda k, _: "young" if k % 2 else "old"), DOMAIN),
    "levels that are not listed": (people(N), DOMAIN.replace("[a, b, c]", "[x, y]")),
    "no column but label and group": (
        people(N),
        "sex: {levels: [f, m]}\nrich: {levels: [no, yes]}\n",
    ),
}
FILES = {
    "a workbook": ("own.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1"),
    "JSON": ("own.json", b'[{"age": 1}]'),
    "Parquet": ("own.parquet", b"PAR1\x15\x04"),
    "a web page": ("own.csv", b"<!doctype html><title>404</title>"),
}


def is_seen(*arguments: str) -> bool:
    """Whether a command refuses a table in one line, or asks about it."""
    result = dpfair(*arguments)
    if result.exit_code == 2:
        return result.stderr.splitlines()[-1].startswith("Error: ")
    assert result.exit_code == 0, (result.output, result.exception)
    return any(line.startswith("  ? ") for line in result.output.splitlines())


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", WITHOUT_DOMAIN)
def test_a_wrong_table_is_not_trained_in_silence(name):
    rows, heading = WITHOUT_DOMAIN[name]
    write("own.csv", rows, heading)
    assert is_seen("train", "own.csv", *COLUMNS, *TRAIN)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", WITH_DOMAIN)
def test_a_domain_file_that_does_not_fit_is_not_trained_in_silence(name):
    rows, domain = WITH_DOMAIN[name]
    write("own.csv", rows)
    Path("domain.yaml").write_text(domain)
    assert is_seen("train", "own.csv", *PUBLIC, *TRAIN)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_format_is_refused(name):
    file, content = FILES[name]
    Path(file).write_bytes(content)
    assert is_seen("train", file, *COLUMNS, *TRAIN)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("n", [60, 300])
def test_clean_people_are_not_asked_about(n):
    write("own.csv", people(n))
    Path("domain.yaml").write_text(DOMAIN)
    assert not is_seen("train", "own.csv", *PUBLIC, *TRAIN)
    assert not is_seen("train", "own.csv", *COLUMNS, *TRAIN)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", made_files.WRITERS)
def test_tables_as_they_are_distributed_are_not_asked_about_once_drafted(name):
    label, positive, protected = made_files.ROLES[name]
    file = made_files.write(Path(), name, 1_000)
    # in bank, -1 among numbers of days is a code, which is asked about, and in compas a tenth of
    # the days is missing
    text = re.sub(r"^((?:[^,\n]*,){10}),", r"\g<1>0,", file.read_text(), flags=re.MULTILINE)
    file.write_text(text.replace(";-1;", ";0;"))
    roles = ("--label", label, "--protected", protected, "--positive", positive)
    drafted = dpfair("domain", file, *roles)
    domain = Path(drafted.stderr.splitlines()[0])
    # ends that the table does not attain, as those of a questionnaire
    domain.write_text(re.sub(r"high: ([0-9]+)[0-9.]*", r"high: \g<1>9", domain.read_text()))
    assert dpfair("domain", "--confirm", domain).exit_code == 0
    any_groups = ("--method", "majority_class", "--seed", "1")
    assert not is_seen("train", str(file), *roles, "--domain", str(domain), *any_groups)
