"""Work shared by copies of a process: the same results, lines and errors as one process gives."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from dpfair_cli.running import copies
from dpfair_cli.running.copies import call_each
from tests import forking

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
ITEMS = list(range(30))
MANY = 3  # processes


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    """Work is shared from the first item on."""
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", -1.0)


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
    assert call_each(lambda n: slowly(n * n), ITEMS, jobs=jobs) == [n * n for n in ITEMS]


def test_no_item_has_no_result():
    assert call_each(os.getpid, [], jobs=MANY) == []


@pytest.mark.usefixtures("no_new_children")
def test_as_many_processes_work_as_there_are_jobs():
    found = call_each(lambda _: slowly(os.getpid()), ITEMS, jobs=MANY)
    assert os.getpid() in found
    assert len({*found}) == MANY


def test_few_short_calls_need_no_copy(monkeypatch):
    monkeypatch.setattr(copies, "PATIENCE_SECONDS", 60.0)
    assert {*call_each(lambda _: os.getpid(), ITEMS, jobs=MANY)} == {os.getpid()}


def test_a_copy_has_what_the_process_has_read():
    text = ["long"] * 1000
    assert call_each(lambda n: slowly((n, len(text))), ITEMS, jobs=2)[-1] == (29, 1000)


@pytest.mark.parametrize("jobs", [1, MANY])
def test_lines_on_stderr_are_in_the_order_of_the_items(jobs, capsys):
    def say(n):
        time.sleep(0.02 if n == 0 else 0.001)
        print("line", n, file=sys.stderr)

    call_each(say, ITEMS, jobs=jobs)
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
        call_each(check, ITEMS, jobs=jobs)
    assert capsys.readouterr().err.splitlines() == [f"line {n}" for n in range(8)]


@pytest.mark.parametrize("jobs", [1, 2, MANY])
def test_ticks_add_up_to_the_number_of_items(jobs):
    ticks = []
    call_each(slowly, ITEMS, jobs=jobs, tick=ticks.append)
    assert sum(ticks) == len(ITEMS)
    assert min(ticks) >= 0


def test_a_known_object_stays_the_same_object():
    class Known:
        pass

    one, others = Known(), [object()]
    found = call_each(lambda n: slowly((one, [one, n])), ITEMS, jobs=2, known=[others, one])
    assert all(first is one and second is one for first, (second, _) in found)


def test_the_work_of_a_killed_copy_is_done_again():
    parent = os.getpid()

    def work(n):
        if os.getpid() != parent and n > 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return slowly(n)

    assert call_each(work, ITEMS, jobs=2) == ITEMS


def test_a_result_that_cannot_be_sent_is_made_again():
    found = call_each(lambda n: slowly(lambda: n), ITEMS, jobs=2)
    assert [give() for give in found] == ITEMS


@pytest.mark.usefixtures("no_new_children")
def test_an_interrupt_leaves_no_copy():
    parent = os.getpid()

    def work(n):
        if os.getpid() == parent and n > 3:
            raise KeyboardInterrupt
        return slowly(n)

    with pytest.raises(KeyboardInterrupt):
        call_each(work, ITEMS, jobs=2)


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
        call_each(slowly, ITEMS, jobs=2)


@pytest.mark.parametrize("name", ["fork", "pipe"])
def test_without_more_files_or_processes_one_process_does_the_work(name, monkeypatch):
    def refuse():
        raise OSError

    monkeypatch.setattr(os, name, refuse)
    assert call_each(slowly, ITEMS, jobs=MANY) == ITEMS


def test_ended_copies_may_be_forgotten_by_the_system():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert call_each(slowly, ITEMS, jobs=MANY) == ITEMS
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_a_copy_ends_soon_after_its_killed_parent(tmp_path):
    def work(n):
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60)

    parent = forking.begun(lambda: call_each(work, ITEMS, jobs=2))
    until = time.monotonic() + 20
    while len(found := [int(file.name) for file in tmp_path.iterdir()]) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    (copy,) = {*found} - {parent}
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    while is_running(copy):
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
        call_each(slowly, ITEMS, jobs=MANY, tick=fail)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.usefixtures("no_new_children")
def test_calls_that_have_begun_give_all_results():
    with copies.begun(lambda n: slowly(n * n), ITEMS, jobs=MANY) as results:
        assert sorted(results()) == [n * n for n in ITEMS]


@pytest.mark.usefixtures("no_new_children")
def test_begun_calls_are_made_while_the_process_does_other_work():
    with copies.begun(lambda _: os.getpid(), ITEMS, jobs=2) as results:
        time.sleep(0.5)
        assert os.getpid() not in results()


@pytest.mark.usefixtures("no_new_children")
def test_begun_calls_with_an_error_are_left_out():
    with copies.begun(lambda n: slowly(1 / n), ITEMS, jobs=MANY) as results:
        assert sorted(results()) == sorted(1 / n for n in ITEMS[1:])


@pytest.mark.usefixtures("no_new_children")
def test_begun_calls_end_with_an_error_of_the_process():
    with pytest.raises(ValueError, match="other work"), copies.begun(time.sleep, [60], jobs=2):
        raise ValueError("other work")


@pytest.mark.parametrize(("items", "jobs"), [([], MANY), (ITEMS, 1)])
def test_no_call_has_begun_without_copies(items, jobs):
    with copies.begun(slowly, items, jobs=jobs) as results:
        assert results() == []


def test_runs_search_for_unused_objects_where_commands_do_not():
    with copies.all_objects_kept():
        assert not gc.isenabled()
        with copies.new_objects_searched():
            assert gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with copies.new_objects_searched():
        assert gc.isenabled()
    assert gc.isenabled()
