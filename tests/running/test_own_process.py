"""Runs in the present process: in small groups, until workers pay; a slow run is stopped."""

import importlib
import math
import signal
import sys
import time
import types
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from dpfair_cli.running import own_process, runner, workers
from dpfair_cli.running.batches import Batch
from dpfair_cli.running.own_process import Alarm, Costs, TooSlow
from dpfair_cli.running.workers import START_SECONDS, Workers
from tests.running.own_sweeps import artefact, journal, sweep


@pytest.mark.parametrize(
    ("jobs", "seconds", "pay"),
    [
        (1, 1e9, False),
        (2, 2 * START_SECONDS - 0.1, False),  # half of it is saved
        (2, 2 * START_SECONDS + 0.1, True),
        (4, 4 / 3 * START_SECONDS + 0.1, True),  # three quarters are saved
        (4, 4 / 3 * START_SECONDS - 0.1, False),
    ],
)
def test_workers_pay_if_they_save_more_than_their_start(jobs, seconds, pay):
    assert Workers(jobs).pay(seconds) is pay


def test_workers_that_load_for_long_pay_later():
    assert Workers(2).pay(2 * START_SECONDS + 1)
    assert not Workers(2).pay(2 * START_SECONDS + 1, loading=1.0)


def test_a_cluster_always_pays():
    assert Workers(1, "tcp://here:1").pay(0.0)


@pytest.mark.parametrize("jobs", [2, 3, 16])
@pytest.mark.parametrize("runs", [2, 3, 5, 20, 1000])
@pytest.mark.parametrize("seconds", [0.01, 0.5, 1.5, 4.0, 30.0, 600.0])
def test_equal_runs_are_never_much_slower_than_in_one_process(jobs, runs, seconds):
    """The time of runs of equal length: all here, or the first one stopped and all in workers."""
    pool, alone = Workers(jobs), runs * seconds
    patience = pool.patience(runs)
    if seconds > patience:
        together = patience + START_SECONDS + math.ceil(runs / jobs) * seconds
        whole = patience + START_SECONDS + runs / min(jobs, runs) * seconds
        assert whole <= 1.05 * alone + workers.PATIENCE_SECONDS
        assert together <= 2 * alone


def test_one_run_is_never_stopped():
    assert Workers(8).patience(1) == math.inf
    assert Workers(1).patience(100) == math.inf


def test_the_estimate_is_the_mean_time_of_a_run_times_the_rest():
    costs = Costs(left=100)
    costs.add(spent=0.4, elapsed=0.4, runs=10)
    assert costs.of_the_rest == 0.0  # too little is known
    costs.add(spent=0.6, elapsed=0.6, runs=10)
    assert costs.of_the_rest == pytest.approx(80 * 0.05)
    assert costs.group == 4  # of 0.05 s each in 0.2 s


def test_another_program_makes_groups_smaller_but_the_rest_no_longer():
    costs = Costs(left=20)
    costs.add(spent=1.0, elapsed=2.0, runs=10)
    assert costs.of_the_rest == pytest.approx(10 * 0.1)
    assert costs.group == 1  # of 0.2 s each in 0.2 s


def test_the_first_group_is_one_run():
    assert Costs(left=5).group == 1


@pytest.fixture
def executors(monkeypatch):
    """The calls for worker processes, which are threads here."""
    asked, threads = [], ThreadPoolExecutor(2)
    monkeypatch.setattr(Workers, "executor", lambda self, runs: asked.append(runs) or threads)
    return asked


def rows_with_two_jobs(spec, out):
    with Workers(2) as pool:
        assert artefact(spec, out, workers=pool).run(lambda count: None) == []
    return journal(out).read_bytes()


@pytest.mark.usefixtures("without_copies")
def test_a_short_sweep_starts_no_worker(folder, expected, tmp_path, executors):
    assert rows_with_two_jobs(sweep(folder), tmp_path) == expected
    assert executors == []


@pytest.mark.usefixtures("without_copies")
def test_workers_make_the_rest_when_they_pay(folder, expected, tmp_path, executors, monkeypatch):
    monkeypatch.setattr(own_process, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(Workers, "pay", lambda self, rest, loading: rest > 0)  # whatever the load
    assert rows_with_two_jobs(sweep(folder), tmp_path) == expected
    assert executors[0] == 27  # of 28 runs


def slow_once(monkeypatch, seconds, swallow=False):
    """The first fit takes this long; with `swallow`, a library hides what stops it."""
    calls, fit = [], runner.fit_and_score

    def slow(case, run, context):
        calls.append(run)
        if len(calls) == 1:
            try:
                time.sleep(seconds)
            except BaseException as stopped:
                if not swallow:
                    raise
                raise ValueError("another error") from stopped
        return fit(case, run, context)

    monkeypatch.setattr(runner, "fit_and_score", slow)
    return calls


@pytest.mark.usefixtures("without_copies")
@pytest.mark.parametrize("swallow", [False, True])
def test_a_slow_run_is_stopped_and_made_by_a_worker(
    folder, expected, tmp_path, executors, monkeypatch, swallow
):
    monkeypatch.setattr(workers, "PATIENCE_SECONDS", 0.2)
    monkeypatch.setattr(workers, "START_SECONDS", 0.1)
    calls = slow_once(monkeypatch, 30, swallow)
    began = time.monotonic()
    assert rows_with_two_jobs(sweep(folder), tmp_path) == expected
    assert time.monotonic() - began < 20
    assert calls[0] in calls[1:]
    assert executors[0] == 28


def test_an_alarm_stops_a_loop_and_is_gone_afterwards():
    alarm = Alarm()
    with pytest.raises(TooSlow), alarm.after(0.05):
        time.sleep(5)
    assert alarm.rang
    with Alarm().after(0.5):
        pass
    time.sleep(0.6)  # no alarm rings any more


def raise_other(number, frame):
    raise InterruptedError


@pytest.fixture
def alarm_of_the_caller():
    """A handler of SIGALRM that the calling program has set."""
    before = signal.signal(signal.SIGALRM, raise_other)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm_of_the_caller")
def test_the_timer_of_the_caller_goes_on():
    def sleep():
        with Alarm().after(0.01):
            time.sleep(0.03)
        time.sleep(5)

    signal.setitimer(signal.ITIMER_REAL, 0.1)
    with pytest.raises(InterruptedError):
        sleep()


@pytest.mark.usefixtures("alarm_of_the_caller")
def test_the_handler_of_the_caller_is_left_alone():
    with Alarm().after(0.01):
        time.sleep(0.03)
    assert signal.getsignal(signal.SIGALRM) is raise_other


def test_a_handler_that_is_not_of_python_is_left_alone(monkeypatch):
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    with Alarm().after(0.01):
        time.sleep(0.03)


def test_another_thread_is_not_stopped():
    def wait():
        with Alarm().after(0.01):
            time.sleep(0.03)
        return "ended"

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(wait).result() == "ended"


def test_an_alarm_that_is_swallowed_rings_again():
    def swallow_once():
        with suppress(BaseException):
            time.sleep(5)
        time.sleep(5)

    with pytest.raises(TooSlow), Alarm().after(0.05):
        swallow_once()


def test_an_import_is_not_stopped_halfway(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text("import time\ntime.sleep(0.2)\nDONE = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(TooSlow), Alarm().after(0.05):
        time.sleep(5 if importlib.import_module("slow_to_import") else 0)
    assert sys.modules.pop("slow_to_import").DONE


def test_a_lock_is_not_stopped_halfway():
    frame = types.FunctionType(
        (lambda: sys._getframe()).__code__, {"__name__": "tqdm.std", "sys": sys}
    )
    assert own_process._is_busy(frame())
    assert not own_process._is_busy(sys._getframe())


def test_an_alarm_at_the_end_of_the_context_leaves_no_handler():
    alarm = Alarm()
    with alarm.after(100):
        pass
    alarm._ring(signal.SIGALRM, None)  # a signal that was on its way
    assert not alarm.rang
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_group_leaves_the_rest_of_its_batch_in_the_queue(folder, tmp_path):
    planned = artefact(sweep(folder, seeds=1), tmp_path)
    batch = Batch(next(iter(planned.located.values())), tuple(planned.planned), tmp_path)
    queue = deque([batch])
    group = own_process._taken(queue, 3)
    assert group.planned + queue[0].planned == batch.planned
    assert len(group.planned) == 3
    own_process._taken(queue, 99)
    assert not queue
