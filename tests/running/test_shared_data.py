"""One copy of a user's table for all workers: the same bytes, and no file is left behind."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from dpfair_cli.data_access.loading import load
from dpfair_cli.running import runner, shared_data
from dpfair_cli.running.shared_data import shared_copy
from tests.running.own_sweeps import artefact, run, sweep

WAIT_SECONDS = 60
KEPT = """
import signal, time
from dpfair_cli.running.shared_data import shared_copy
signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the tests ignore interrupts
with shared_copy([b"x"], None) as copy:
    print(copy.folder, flush=True)
    time.sleep(1000)
"""


def located(folder, tmp_path):
    return next(iter(artefact(sweep(folder, seeds=1), tmp_path).located.values()))


def gone(folder):
    """Whether a folder is deleted within some time."""
    until = time.monotonic() + WAIT_SECONDS
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return not folder.exists()


def test_a_copy_has_the_fingerprint_of_the_data(folder, tmp_path):
    found = located(folder, tmp_path)
    records = load(found)
    with shared_copy(records, found) as copy:
        again = copy.load()
        assert again.fingerprint() == records.fingerprint()
        assert again.domain == records.domain
        assert type(again.X) is np.ndarray


def test_a_change_of_an_array_stays_in_the_process(folder, tmp_path):
    values = {"numbers": np.arange(5.0), "none": np.empty((0, 3)), "text": "a"}
    with shared_copy(values, located(folder, tmp_path)) as copy:
        first = copy.load()
        first["numbers"][:] = -1
        again = copy.load()
    assert again["numbers"].tolist() == [0, 1, 2, 3, 4]
    assert again["none"].shape == (0, 3)
    assert again["text"] == "a"


def test_copies_of_the_same_data_are_equal(folder, tmp_path):
    found = located(folder, tmp_path)
    with shared_copy(1, found) as one, shared_copy(1, found) as other:
        assert one == other
        assert one.folder != other.folder


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_copy_is_deleted_after_an_error_or_an_interrupt(folder, tmp_path, error):
    copies = ExitStack()
    copy = copies.enter_context(shared_copy(1, located(folder, tmp_path)))
    assert copy.folder.is_dir()
    copies.__exit__(error, error(), None)
    assert not copy.folder.exists()


@pytest.mark.skipif(os.name != "posix", reason="a system without these signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_copy_is_deleted_after_the_command_is_killed(number):
    command = [sys.executable, "-c", KEPT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        copy = Path(process.stdout.readline().strip())
        assert copy.is_dir()
        process.send_signal(number)
        process.wait(WAIT_SECONDS)
    assert gone(copy)


@pytest.mark.usefixtures("without_copies")
def test_workers_read_the_copy_and_make_the_same_rows(folder, tmp_path, monkeypatch):
    copies = []

    @contextmanager
    def noted(data, place):
        with shared_copy(data, place) as copy:
            copies.append(copy)
            yield copy

    alone = run(sweep(folder), tmp_path / "alone")
    monkeypatch.setattr(runner, "shared_copy", noted)
    together = run(sweep(folder), tmp_path / "together", jobs=2)
    assert sorted(alone[0].splitlines()) == sorted(together[0].splitlines())
    (copy,) = copies
    assert not copy.folder.exists()


@pytest.mark.usefixtures("without_copies")
def test_without_space_for_a_copy_every_worker_reads_the_table(folder, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError("No space left on device")

    alone = run(sweep(folder), tmp_path / "alone")
    monkeypatch.setattr(shared_data, "write_bytes", full)
    together = run(sweep(folder), tmp_path / "together", jobs=2)
    assert sorted(alone[0].splitlines()) == sorted(together[0].splitlines())
    assert not runner._last_case
