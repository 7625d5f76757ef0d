"""Copies of a process that share the runs of a sweep: the same bytes, and no run is lost."""

import os
import signal
import sys
import time
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.running import folder_lock, runner, shared_runs
from dpfair_cli.running.shared_runs import CommonList, Part
from dpfair_cli.running.workers import Workers
from tests import forking
from tests.running.own_sweeps import artefact, journal, run, sweep

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")


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


def children():
    """The numbers of the processes that this process has begun and not waited for."""
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {*" ".join(file.read_text() for file in lists).split()}


@pytest.mark.parametrize("jobs", [2, 3, 40])
@pytest.mark.parametrize("seeds", [1, 4])
def test_copies_give_the_bytes_of_one_process(folder, tmp_path, jobs, seeds, monkeypatch):
    monkeypatch.setattr(Workers, "executor", None)  # no worker is needed
    spec = sweep(folder, seeds=seeds)
    alone = run(spec, tmp_path / "alone")
    assert run(spec, tmp_path / "shared", jobs=jobs) == alone
    assert len(alone[0].splitlines()) == 7 * seeds


def test_reports_after_every_run_give_the_same_bytes(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "REPORT_SECONDS", 0.0)
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])


def test_one_job_and_one_run_make_no_copy(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fork", None)
    assert run(sweep(folder), tmp_path / "one", jobs=1)[1] == []
    spec = sweep(folder, methods=("pflr_star",), epsilons=(1.0,), seeds=1)
    with Workers(2) as workers:
        assert artefact(spec, tmp_path, workers=workers).run(lambda count: None) == []


def test_other_work_is_done_once_while_copies_make_runs(folder, tmp_path):
    done = []
    with Workers(2) as workers:
        made = artefact(sweep(folder), tmp_path, workers=workers)
        made.run(lambda count: None, lambda: done.append(journal(tmp_path).exists()))
    assert done == [False]  # before the first rows are written


@pytest.mark.parametrize("name", ["fork", "pipe"])
def test_without_files_or_processes_one_process_makes_the_runs(
    folder, expected, tmp_path, monkeypatch, name
):
    def refuse():
        raise OSError

    with monkeypatch.context() as patch, Workers(2) as workers:
        patch.setattr(os, name, refuse)
        assert artefact(sweep(folder), tmp_path, workers=workers).run(lambda count: None) == []
    assert journal(tmp_path).read_bytes() == expected


def test_the_runs_of_a_killed_copy_stay_in_the_queue(folder, tmp_path):
    planned = artefact(sweep(folder, seeds=1), tmp_path)
    (located,) = planned.located.values()
    batch = runner.Batch(located, tuple(planned.planned), tmp_path)
    first, rest = [runner.replace(batch, planned=part) for part in (batch.planned[:3], ())]

    def work(part):
        if len(part.planned) == 1:  # the first one of each copy
            os.kill(os.getpid(), signal.SIGKILL)
        return runner.BatchResult([], [], rest, "")

    queue = deque([first, batch])
    assert list(shared_runs.shared_runs(queue, work, 2, lambda: None)) == []
    assert [left.planned for left in queue] == [first.planned, batch.planned]


def test_workers_make_the_runs_of_killed_copies(folder, expected, tmp_path, monkeypatch):
    fit = runner.fit_and_score

    def killing(case, one, context):
        if one.seed == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return fit(case, one, context)

    monkeypatch.setattr(runner, "fit_and_score", killing)  # not in the workers
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])


def test_an_error_that_stops_all_runs_is_raised(folder, tmp_path, monkeypatch):
    def refuse(data, dataset, task, seed):
        raise DpfairError("the data cannot be split")

    monkeypatch.setattr(runner, "split", refuse)
    runner._last_case.clear()
    with pytest.raises(DpfairError, match=r"^the data cannot be split$"):
        run(sweep(folder), tmp_path, jobs=2)


def test_an_interrupt_leaves_no_copy_and_keeps_the_rows(folder, expected, tmp_path):
    before, during = children(), []

    def interrupt(count):
        during.extend(children() - before)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(sweep(folder), tmp_path, jobs=2, tick=interrupt)
    assert len(during) == 2
    assert children() == before
    assert 0 < len(journal(tmp_path).read_bytes().splitlines()) < 28
    assert run(sweep(folder), tmp_path, jobs=2) == (expected, [])


def test_a_copy_of_a_killed_process_keeps_no_lock_of_a_folder(tmp_path):
    def hold():
        with folder_lock.locked(tmp_path):
            copy = forking.begun(lambda: time.sleep(60))
            (tmp_path / str(copy)).touch()
            time.sleep(60)

    parent = forking.begun(hold)
    until = time.monotonic() + 20
    while not (found := [int(file.name) for file in tmp_path.iterdir() if file.name.isdigit()]):
        assert time.monotonic() < until
        time.sleep(0.01)
    try:
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
        with folder_lock.locked(tmp_path):
            pass
    finally:
        os.kill(found[0], signal.SIGKILL)
