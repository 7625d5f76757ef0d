"""Calls shared by processes: the same results, lines and errors as one process gives."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from dpfair_cli.running.pool import Workers, map_in_order
from tests import forking
from tests.waiting import wait_until

pytestmark = pytest.mark.usefixtures("with_forks")
ITEMS = list(range(30))
MANY = 3  # processes


def slowly(result):
    """A result after a moment, in which other processes take an item."""
    time.sleep(0.005)
    return result


def children():
    """The numbers of the processes that this process has begun and not waited for."""
    lists = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {*" ".join(file.read_text() for file in lists).split()}


@pytest.fixture
def no_new_children():
    """A test after which this process has no other children than before it."""
    before = children()
    yield
    assert children() <= before


@pytest.mark.parametrize("jobs", [1, 2, MANY])
def test_results_are_in_the_order_of_the_items(jobs):
    assert map_in_order(lambda n: slowly(n * n), ITEMS, jobs=jobs) == [n * n for n in ITEMS]


def test_no_item_has_no_result():
    assert map_in_order(os.getpid, [], jobs=MANY) == []


@pytest.mark.usefixtures("no_new_children")
def test_as_many_processes_work_as_there_are_jobs(tmp_path):
    def met(_):
        """The process of a call, after each process has begun one."""
        (tmp_path / str(os.getpid())).touch()
        while len(list(tmp_path.iterdir())) < MANY:
            time.sleep(0.005)
        return os.getpid()

    found = map_in_order(met, ITEMS[:MANY], jobs=MANY)
    assert os.getpid() not in found
    assert len({*found}) == MANY


@pytest.mark.parametrize(("items", "jobs"), [(ITEMS[:1], MANY), (ITEMS, 1)])
def test_one_item_or_one_job_needs_no_process(items, jobs):
    assert {*map_in_order(lambda _: os.getpid(), items, jobs=jobs)} == {os.getpid()}


@pytest.mark.usefixtures("without_forks")
def test_calls_are_made_here_where_no_process_is_forked():
    assert {*map_in_order(lambda _: os.getpid(), ITEMS, jobs=MANY)} == {os.getpid()}


def test_a_copy_has_what_the_process_has_read():
    text = ["long"] * 1000
    assert map_in_order(lambda n: slowly((n, len(text))), ITEMS, jobs=2)[-1] == (29, 1000)


@pytest.mark.parametrize("jobs", [1, MANY])
def test_lines_on_stderr_are_in_the_order_of_the_items(jobs, capsys):
    def say(n):
        time.sleep(0.02 if n == 0 else 0.001)
        print("line", n, file=sys.stderr)

    map_in_order(say, ITEMS, jobs=jobs)
    assert capsys.readouterr().err.splitlines() == [f"line {n}" for n in ITEMS]


@pytest.mark.usefixtures("no_new_children")
@pytest.mark.parametrize("jobs", [1, 2, MANY])
def test_the_first_error_in_the_order_of_the_items_is_raised(jobs, capsys):
    def check(n):
        print("line", n, file=sys.stderr)
        if n in (7, 8, 20):
            time.sleep(0.05 if n == 7 else 0)  # so that the others fail before
            raise ValueError(n)

    with pytest.raises(ValueError, match=r"^7$"):
        map_in_order(check, ITEMS, jobs=jobs)
    assert capsys.readouterr().err.splitlines() == [f"line {n}" for n in range(8)]


@pytest.mark.parametrize("jobs", [1, 2, MANY])
def test_ticks_add_up_to_the_number_of_items(jobs):
    ticks = []
    map_in_order(slowly, ITEMS, jobs=jobs, tick=ticks.append)
    assert sum(ticks) == len(ITEMS)
    assert min(ticks) >= 0


def test_the_work_of_a_killed_copy_is_done_again():
    parent = os.getpid()

    def work(n):
        if os.getpid() != parent and n > 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return slowly(n)

    assert map_in_order(work, ITEMS, jobs=2) == ITEMS


def test_a_result_that_cannot_be_sent_is_made_again():
    found = map_in_order(lambda n: slowly(lambda: n), ITEMS, jobs=2)
    assert [give() for give in found] == ITEMS


@pytest.mark.usefixtures("no_new_children")
def test_an_interrupt_leaves_no_copy():
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_in_order(slowly, ITEMS, jobs=2, tick=interrupt)


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def interrupt(request):
    """A signal that raises KeyboardInterrupt, as in a command, also if the tests ignore it."""
    before = signal.signal(request.param, signal.default_int_handler)
    yield request.param
    signal.signal(request.param, before)


@pytest.fixture
def another_thread():
    """The number of a second thread, which handles signals as the first one does."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    yield thread.ident
    ended.set()
    thread.join()


@pytest.mark.usefixtures("no_new_children")
@pytest.mark.parametrize("receiver", ["main", "another"])
def test_a_signal_while_a_copy_begins_ends_the_work(
    interrupt, receiver, another_thread, monkeypatch
):
    fork = os.fork
    thread = threading.get_ident() if receiver == "main" else another_thread

    def signalled():
        if number := fork():
            signal.pthread_kill(thread, interrupt)
            time.sleep(0.05)  # until the other thread has received it
        return number

    monkeypatch.setattr(os, "fork", signalled)
    with pytest.raises(KeyboardInterrupt):
        map_in_order(slowly, ITEMS, jobs=2)


@pytest.mark.parametrize("name", ["fork", "pipe"])
def test_without_more_files_or_processes_one_process_does_the_work(name, monkeypatch):
    def refuse():
        raise OSError

    monkeypatch.setattr(os, name, refuse)
    assert map_in_order(slowly, ITEMS, jobs=MANY) == ITEMS


def test_ended_copies_may_be_forgotten_by_the_system():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert map_in_order(slowly, ITEMS, jobs=MANY) == ITEMS
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_copy_ends_soon_after_its_killed_parent(tmp_path):
    def work(n):
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60)

    parent = forking.begun(lambda: map_in_order(work, ITEMS, jobs=2))
    until = time.monotonic() + 300
    while len(found := [int(file.name) for file in tmp_path.iterdir()]) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    while any(map(is_running, found)):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(process):
    """Whether a process runs, which may be no child of the present one."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.usefixtures("no_new_children")
def test_an_error_of_the_process_leaves_no_file_open():
    def fail(_):
        raise ValueError("no tick")

    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ValueError, match="no tick"):
        map_in_order(slowly, ITEMS, jobs=MANY, tick=fail)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.usefixtures("no_new_children")
def test_an_interrupt_in_the_middle_of_a_result_ends_the_work(tmp_path):
    started = tmp_path / "started"

    def interrupted():
        with Workers(2) as workers:
            workers.submit(send_the_begin_of_a_result, started)
            wait_until(started.exists)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()


def send_the_begin_of_a_result(started):
    """Sends the length of a result that does not come, as a process that is killed then."""
    frame = sys._getframe()
    while "result_queue" not in frame.f_locals:
        frame = frame.f_back
    pipe = frame.f_locals["result_queue"]._writer.fileno()
    os.write(pipe, (1_000).to_bytes(4, "big"))
    started.touch()
    time.sleep(3600)
