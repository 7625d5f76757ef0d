"""A damaged list of finished runs is refused, with its line, by every command that reads it."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copytree

import pytest

from dpfair_cli.running.journal import Journal
from dpfair_cli.running.rows import Row, line
from tests.commands.invoking import mistake, works
from tests.commands.material import PUBLIC

SWEEP = ("sweep", "own.csv", *PUBLIC, "--method", "pflr", "--eps", "1", "--runs", "2")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder for the results of the sweep, which the first test makes for all others."""
    return tmp_path_factory.mktemp("results") / "out"


@pytest.fixture
def journal(own, results):
    """The journal of a finished sweep in a working folder with the table."""
    if not results.exists():
        works(*SWEEP)
        copytree("results", results)
    copytree(results, "results", dirs_exist_ok=True)
    (file,) = Path("results").rglob("runs.jsonl")
    return file


def rewrite(journal: Path, change) -> None:
    """Writes a journal again, with correct checksums, after a change of its rows."""
    rows = [dict(row) for row in Journal(journal).rows.values()]
    journal.write_text("".join(line(Row.of(row)) for row in change(rows)))


def with_score(row, value):
    return row | {"scores": row["scores"] | {"accuracy": value}}


def test_a_changed_digit_is_refused_with_its_line(journal):
    text = journal.read_text()
    digit = re.search(r'"accuracy": 0\.(\d)', text.splitlines()[1])
    before, second = text.split("\n", 1)
    where = digit.start(1)
    second = f"{second[:where]}{(int(digit[1]) + 1) % 10}{second[where + 1 :]}"
    journal.write_text(f"{before}\n{second}")
    assert "line 2 was changed after it was written" in mistake(*SWEEP)


def test_a_second_row_of_a_run_with_another_score_is_refused(journal):
    rewrite(journal, lambda rows: [*rows, with_score(rows[0], 0.123)])
    said = mistake(*SWEEP)
    assert re.search(r"line \d+ has other results than an earlier line of the same run", said)


def test_a_second_row_with_the_same_scores_is_no_mistake(journal):
    before = works(*SWEEP).stdout
    rewrite(journal, lambda rows: [*rows, rows[0]])
    assert works(*SWEEP).stdout == before


def test_a_score_that_no_run_can_have_is_refused(journal):
    rewrite(journal, lambda rows: [with_score(rows[0], 7.0), *rows[1:]])
    said = mistake(*SWEEP)
    assert "seed 0: accuracy 7 is not in 0 to 1" in said
    assert "delete the line of this run" in said


def test_a_score_too_large_for_a_number_is_refused(journal):
    text = journal.read_text()
    journal.write_text(re.sub(r'"accuracy": [\d.]+', '"accuracy": 1e999', text, count=1))
    assert "line 1 was changed after it was written" in mistake(*SWEEP)
    without = re.sub(r', "crc32": "\w+"', "", journal.read_text())
    journal.write_text(without)
    assert "line 1 is not a valid run" in mistake(*SWEEP)
