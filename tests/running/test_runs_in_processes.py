"""Runs in forks of the process: the same bytes, whatever becomes of a fork."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from contextlib import suppress

import pytest
from tqdm import tqdm

from dpfair_cli.running import runner
from dpfair_cli.running.pool import Workers, map_in_order
from tests import forking
from tests.running.own_sweeps import artefact, journal, run, sweep
from tests.running.test_pool import children, is_running

pytestmark = pytest.mark.usefixtures("with_forks")


@pytest.fixture
def processes(monkeypatch, tmp_path):
    """A function that lists the processes that have made runs."""
    fit, place = runner.fit_and_score, tmp_path / "processes"
    place.mkdir()

    def noted(case, one, context):
        (place / str(os.getpid())).touch()
        return fit(case, one, context)

    monkeypatch.setattr(runner, "fit_and_score", noted)
    return lambda: {int(file.name) for file in place.iterdir()}


@pytest.mark.parametrize("jobs", [2, 3, 16])
def test_copies_make_all_runs_and_the_same_bytes(folder, expected, tmp_path, processes, jobs):
    before = children()
    assert run(sweep(folder), tmp_path / "out", jobs=jobs) == (expected, [])
    assert os.getpid() not in processes()
    assert 1 <= len(processes()) <= jobs
    assert children() <= before


def test_the_ticks_add_up_to_the_number_of_runs(folder, tmp_path):
    ticks = []
    run(sweep(folder), tmp_path, jobs=2, tick=ticks.append)
    assert sum(map(len, ticks)) == 28


def test_the_runs_of_a_killed_copy_go_to_worker_processes(folder, expected, tmp_path, monkeypatch):
    fit, parent, killed = runner.fit_and_score, os.getpid(), tmp_path / "killed"

    def deadly(case, one, context):
        if os.getpid() != parent:
            with suppress(FileExistsError):
                killed.mkdir()  # only once
                os.kill(os.getpid(), signal.SIGKILL)
        return fit(case, one, context)

    monkeypatch.setattr(runner, "fit_and_score", deadly)
    assert run(sweep(folder), tmp_path / "out", jobs=2) == (expected, [])
    assert killed.exists()


@pytest.mark.parametrize("name", ["fork", "pipe"])
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
    def fail(located, task, seed, device):
        raise RuntimeError("a fault")

    before = children()
    monkeypatch.setattr(runner, "_split_case", fail)
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
    fit = runner.fit_and_score  # which notes the process

    def slow(case, one, context):
        found = fit(case, one, context)
        time.sleep(0.5)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(runner, "fit_and_score", slow)
        parent = forking.begun(lambda: run(sweep(folder), tmp_path / "out", jobs=2))
        until = time.monotonic() + 300
        while len(processes()) < 2:
            assert time.monotonic() < until
            time.sleep(0.01)
        os.kill(parent, signal.SIGKILL)
        os.waitpid(parent, 0)
    assert run(sweep(folder), tmp_path / "out", jobs=2) == (expected, [])  # at once: no lock
    while any(map(is_running, processes())):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_no_folder_for_temporary_files_is_needed(folder, expected, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "absent"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))
    with Workers(2) as pool:
        assert artefact(sweep(folder), tmp_path, workers=pool).run(lambda _: None) == []
    assert journal(tmp_path).read_bytes() == expected


def test_a_copy_that_is_killed_while_it_draws_a_bar_stops_no_other_bar():
    tqdm.get_lock()
    parent = os.getpid()

    def die(_):
        if os.getpid() != parent:
            tqdm.get_lock().acquire()
            os.kill(os.getpid(), signal.SIGKILL)

    with tqdm(total=1, file=io.StringIO()) as shown:
        map_in_order(die, [1, 2], jobs=2)
        found = []
        drawing = threading.Thread(target=lambda: found.append(shown.refresh()), daemon=True)
        drawing.start()
        drawing.join(60)
        assert found


def test_what_a_method_prints_in_a_copy_is_printed(capfd):
    map_in_order(lambda n: print("a line"), [1, 2], jobs=2)
    assert capfd.readouterr().out == "a line\n" * 2
