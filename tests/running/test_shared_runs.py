"""Runs in copies of the process: the same bytes, whatever becomes of a copy."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from types import SimpleNamespace

import pytest
from tqdm import tqdm

from dpfair_cli.running import runner
from dpfair_cli.running.copies import copies
from dpfair_cli.running.shared_runs import CommonList, Part
from dpfair_cli.running.workers import Workers
from tests import forking
from tests.running.own_sweeps import artefact, journal, run, sweep
from tests.running.test_copies import children, is_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch):
    """Copies make all runs, and no worker process is started in their place."""

    def refuse(self, runs):
        raise AssertionError("a worker process was asked for")

    monkeypatch.setattr(Workers, "executor", refuse)


@pytest.fixture
def processes(monkeypatch, tmp_path):
    """A function that lists the processes that have made runs."""
    work, place = runner.work, tmp_path / "processes"
    place.mkdir()

    def noted(batch):
        (place / str(os.getpid())).touch()
        time.sleep(0.01)  # in which the other copies take runs
        return work(batch)

    monkeypatch.setattr(runner, "work", noted)
    return lambda: {int(file.name) for file in place.iterdir()}


def common(*sizes):
    """A list of batches with so many runs each."""
    return CommonList([SimpleNamespace(planned=range(size)) for size in sizes])


def test_a_process_finishes_a_batch_before_it_begins_the_next_one():
    found = common(3, 2)
    parts = [found.take(2) for _ in range(4)]
    assert parts == [Part(0, 0, 2), Part(0, 2, 3), Part(1, 0, 2), None]


def test_another_process_begins_another_batch_and_then_helps():
    found = common(5, 1)
    assert found.take(1) == Part(0, 0, 1)
    found._own = -1  # as in a process that has taken nothing
    assert found.take(1) == Part(1, 0, 1)
    assert found.take(9) == Part(0, 1, 5)
    assert found.take(1) is None


@pytest.mark.parametrize("jobs", [2, 3, 16])
def test_copies_make_all_runs_and_the_same_bytes(folder, expected, tmp_path, processes, jobs):
    before = children()
    assert run(sweep(folder), tmp_path / "out", jobs=jobs) == (expected, [])
    assert os.getpid() not in processes()
    assert 2 <= len(processes()) <= jobs
    assert children() <= before


def test_the_ticks_add_up_to_the_number_of_runs(folder, tmp_path):
    ticks = []
    run(sweep(folder), tmp_path, jobs=2, tick=ticks.append)
    assert sum(ticks) == 28


def test_the_process_does_something_else_meanwhile_and_once(folder, expected, tmp_path):
    before, done = children(), []
    with Workers(2) as pool:
        made = artefact(sweep(folder), tmp_path, workers=pool)
        assert made.run(lambda count: None, lambda: done.append(len(children() - before))) == []
    assert done == [2]  # copies run at this time
    assert journal(tmp_path).read_bytes() == expected


def test_the_runs_of_a_killed_copy_go_to_worker_processes(folder, expected, tmp_path, monkeypatch):
    work, parent, asked = runner.work, os.getpid(), []
    killed = tmp_path / "killed"

    def deadly(batch):
        if os.getpid() != parent:
            with suppress(FileExistsError):
                killed.mkdir()  # only once
                os.kill(os.getpid(), signal.SIGKILL)
        return work(batch)

    class Here:
        """An executor without processes."""

        def submit(self, function, batch):
            asked.append(batch)
            future = Future()
            future.set_result(function(batch))
            return future

    monkeypatch.setattr(runner, "work", deadly)
    monkeypatch.setattr(Workers, "executor", lambda self, runs: Here())
    assert run(sweep(folder), tmp_path / "out", jobs=2) == (expected, [])
    assert killed.exists()
    assert asked


@pytest.mark.parametrize("name", ["fork", "pipe", "memfd_create"])
def test_without_more_processes_or_files_the_process_makes_the_runs(
    folder, expected, tmp_path, monkeypatch, processes, name
):
    def refuse(*_):
        raise OSError

    monkeypatch.setattr(os, name, refuse)
    with Workers(2) as pool:
        assert artefact(sweep(folder), tmp_path, workers=pool).run(lambda count: None) == []
    assert journal(tmp_path).read_bytes() == expected
    assert processes() == {os.getpid()}


def test_an_error_of_a_copy_is_raised(folder, tmp_path, monkeypatch):
    def fail(batch):
        raise RuntimeError("a fault")

    before = children()
    monkeypatch.setattr(runner, "work", fail)
    with pytest.raises(RuntimeError, match="a fault"):
        run(sweep(folder), tmp_path, jobs=2)
    assert children() <= before


def test_an_interrupt_keeps_the_rows_that_were_sent_and_no_copy(folder, expected, tmp_path):
    before, done = children(), []

    def interrupt(count):
        done.append(count)
        if len(done) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(sweep(folder), tmp_path, jobs=2, tick=interrupt)
    assert children() <= before
    kept = journal(tmp_path).read_bytes().splitlines()
    assert len(kept) >= 3
    assert {*kept} <= {*expected.splitlines()}
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])


def test_copies_end_after_their_killed_parent_and_hold_no_lock(
    folder, expected, tmp_path, processes, monkeypatch
):
    fit = runner.fit_and_score

    def slow(case, one, context):
        time.sleep(0.5)
        return fit(case, one, context)

    with monkeypatch.context() as patch:
        patch.setattr(runner, "fit_and_score", slow)
        parent = forking.begun(lambda: run(sweep(folder), tmp_path / "out", jobs=2))
        until = time.monotonic() + 30
        while len(processes()) < 2:
            assert time.monotonic() < until
            time.sleep(0.01)
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
    assert run(sweep(folder), tmp_path / "out", jobs=2) == (expected, [])  # at once: no lock
    while any(map(is_running, processes())):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_failed_preparation_of_the_output_loses_no_run(folder, expected, tmp_path):
    def fail():
        raise ImportError("a damaged library")

    with Workers(2) as pool:
        assert artefact(sweep(folder), tmp_path, workers=pool).run(lambda _: None, fail) == []
    assert journal(tmp_path).read_bytes() == expected


def test_no_folder_for_temporary_files_is_needed(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "absent"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with Workers(2) as pool:
        assert artefact(sweep(folder), tmp_path, workers=pool).run(lambda _: None) == []
    assert journal(tmp_path).read_bytes() == expected


def test_a_copy_that_is_killed_while_it_draws_a_bar_stops_no_other_bar():
    tqdm.get_lock()

    def die(pipe):
        tqdm.get_lock().acquire()
        pipe.send_bytes(b"taken")
        os.kill(os.getpid(), signal.SIGKILL)

    with tqdm(total=1, file=io.StringIO()) as shown:
        with copies(1, die) as (pipe,):
            assert pipe.recv_bytes() == b"taken"
        found = []
        drawing = threading.Thread(target=lambda: found.append(shown.refresh()), daemon=True)
        drawing.start()
        drawing.join(5)
        assert found


def test_what_a_method_prints_in_a_copy_is_printed(capfd):
    with copies(1, lambda pipe: print("a line")) as (pipe,), suppress(EOFError):
        pipe.recv_bytes()
    assert capfd.readouterr().out == "a line\n"
