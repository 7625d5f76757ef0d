"""The folder and the journal of a sweep: unusable places, and damage that is repaired."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import pytest

from tests.commands.invoking import mistake, works
from tests.commands.material import ONE, PUBLIC, journal


@pytest.mark.usefixtures("own")
def test_a_results_folder_that_is_a_file_is_wrong_usage():
    assert "'own.csv' is a file" in mistake(
        "sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "own.csv", code=2
    )


@pytest.mark.usefixtures("own")
def test_a_results_folder_below_a_file_is_one_line():
    assert "Not a directory" in mistake(
        "sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "own.csv/results"
    )


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC])
@pytest.mark.usefixtures("own")
def test_a_results_folder_that_cannot_be_made_is_one_line_with_its_path(monkeypatch, number):
    def refuse(path, *args, **kwargs):
        raise OSError(number, "no such luck", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    full = number == errno.ENOSPC  # which is no mistake of the command
    message = mistake(
        "sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "out", code=3 if full else 2
    )
    assert re.match("cannot use out/sweeps/own-[^/:]*: no such luck", message)
    assert ("delete files to make room" in message) == full


@pytest.mark.usefixtures("own")
def test_a_journal_that_cannot_be_written_is_one_line(monkeypatch):
    def refuse(journal, rows):
        raise PermissionError(errno.EACCES, "Permission denied", str(journal.path))

    monkeypatch.setattr("dpfair_cli.running.journal.Journal.append", refuse)
    message = mistake("sweep", "own.csv", *PUBLIC, "--eps", "1", "--out", "out", "--jobs", "1")
    assert re.fullmatch("cannot use out/sweeps/own-[^/]*/runs.jsonl: Permission denied", message)


@pytest.mark.usefixtures("own")
def test_half_a_last_line_in_the_journal_is_mended_by_the_next_sweep():
    works(*ONE)
    whole = journal().read_bytes()
    journal().write_bytes(whole[:-30])
    works(*ONE)
    assert journal().read_bytes() == whole


@pytest.mark.usefixtures("own")
def test_any_other_damage_of_the_journal_is_one_line_with_its_number():
    works(*ONE)
    lines = journal().read_text().splitlines(keepends=True)
    journal().write_text("".join([*lines[:2], "}\n", *lines[3:]]))
    assert "runs.jsonl: line 3 is not a valid run" in mistake(*ONE)
