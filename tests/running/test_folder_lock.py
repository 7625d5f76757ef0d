"""One process at a time adds runs to a journal; a killed process stops nobody."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import folder_lock
from dpfair_cli.running.folder_lock import locked
from dpfair_cli.running.journal import Journal
from tests.running.test_journal import row

HOLD = (
    "import sys, time; from pathlib import Path\n"
    "from dpfair_cli.running.folder_lock import locked\n"
    "with locked(Path(sys.argv[1])): print('locked', flush=True); time.sleep(60)"
)


@pytest.fixture
def holder(tmp_path):
    """Another process that has the lock on the folder."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "locked\n"
        yield process
        process.kill()


def test_a_second_process_is_refused_and_the_first_is_named(tmp_path, holder):
    words = f"process {holder.pid} makes runs in {tmp_path}: wait until it ends"
    with pytest.raises(DpfairError, match=words), locked(tmp_path):
        pass
    assert os.listdir(tmp_path) == [folder_lock.FILE]


def test_the_lock_of_a_killed_process_stops_nobody(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert (tmp_path / folder_lock.FILE).is_file()
    with locked(tmp_path):
        assert (tmp_path / folder_lock.FILE).read_text() == str(os.getpid())
    assert not os.listdir(tmp_path)


def test_the_lock_ends_with_an_error(tmp_path):
    with pytest.raises(KeyboardInterrupt), locked(tmp_path):
        raise KeyboardInterrupt
    with locked(tmp_path):
        pass


def test_a_folder_that_is_not_writable_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file") as caught, locked(tmp_path / "file"):
        pass
    assert caught.value.filename == str(tmp_path / "file")


def test_rows_of_another_process_are_read_with_the_lock(tmp_path):
    ours, theirs = Journal(tmp_path / "runs.jsonl"), Journal(tmp_path / "runs.jsonl")
    with theirs.held():
        theirs.append([row(0)])
    with ours.held():
        assert ours.rows == theirs.rows


def test_a_row_that_was_truncated_when_it_was_read_is_kept(tmp_path):
    path = tmp_path / "runs.jsonl"
    Journal(path).append([row(0), row(1)])
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])  # the other process is about to write the rest
    ours = Journal(path)
    path.write_bytes(whole)
    with ours.held():
        ours.append([row(2)])
    assert len(Journal(path).rows) == 3


def test_a_file_system_without_locks_is_used_without(tmp_path, monkeypatch):
    def refuse(number, operation):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with locked(tmp_path), locked(Path(tmp_path)):
        pass
