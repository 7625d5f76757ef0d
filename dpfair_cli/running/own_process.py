"""Makes runs in the present process, until worker processes would end the rest sooner.

This is what happens where no copies of the process make the runs (`shared_runs`). A worker process
imports libraries and loads data before its first run, which takes longer than most sweeps.
Therefore the first runs are made here. Worker processes start when the measured time of the runs
says that they pay. A run that takes too long is stopped and made again by a worker. Who makes a run
changes no byte of its row.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType

from dpfair_cli.running.batches import Batch, BatchResult
from dpfair_cli.running.workers import Workers

GROUP_SECONDS = 0.2  # about the time of the runs between two appends to the journal
SNOOZE_SECONDS = 0.05  # until an alarm rings again that rang at a moment to be waited for
LOCKING = {"threading", "tqdm"}  # libraries whose locks would stay taken for ever
IMPORTING = "importlib"
PROBE_SECONDS = 0.5  # processor time of finished runs from which that of the others is estimated


class TooSlow(BaseException):  # not an Exception: no method that catches errors catches it
    """Stops a run in the present process, because worker processes would pay."""


class Costs:
    """The time that the runs in the present process took, and the number of the others."""

    def __init__(self, left: int) -> None:
        self.spent = 0.0  # processor seconds, which other programs do not prolong
        self.elapsed = 0.0  # seconds
        self.made, self.left = 0, left

    def add(self, spent: float, elapsed: float, runs: int) -> None:
        """Notes that `runs` further runs have ended, with their processor seconds and seconds."""
        self.spent, self.elapsed = self.spent + spent, self.elapsed + elapsed
        self.made, self.left = self.made + runs, self.left - runs

    @property
    def of_the_rest(self) -> float:
        """The estimated processor seconds of the other runs; 0 before PROBE_SECONDS."""
        return self.spent / self.made * self.left if self.spent > PROBE_SECONDS else 0.0

    @property
    def group(self) -> int:
        """The number of runs that take about GROUP_SECONDS; first a single run."""
        return max(1, int(GROUP_SECONDS * self.made / self.elapsed)) if self.made else 1


def runs_here(
    queue: deque[Batch],
    work: Callable[[Batch], BatchResult],
    workers: Workers,
    loading: float,
) -> Iterator[BatchResult]:
    """Yields the results of the runs that are made here; the other runs stay in the queue.

    `loading` are the processor seconds that each worker process needs to load the data. Whether
    workers pay is decided by processor time: on a busy machine, their start takes longer, too.
    """
    costs = Costs(sum(len(batch.planned) for batch in queue))
    while queue and not workers.pay(costs.of_the_rest, loading):
        group = _taken(queue, costs.group)
        began, began_at, alarm = time.process_time(), time.monotonic(), Alarm()
        try:
            with alarm.after(workers.patience(costs.left, loading)):
                result = work(group)
        except TooSlow:
            queue.appendleft(group)
            return
        if alarm.rang:  # a library has replaced the exception, and the run is not to be trusted
            queue.appendleft(group)
            return
        if result.rest.planned:
            queue.appendleft(result.rest)
        made = len(group.planned) - len(result.rest.planned)
        costs.add(time.process_time() - began, time.monotonic() - began_at, made)
        yield result


def _taken(queue: deque[Batch], runs: int) -> Batch:
    """A batch of at most `runs` runs from the first batch, the rest of which stays in the queue.

    Runs that are scored together are all taken.
    """
    batch = queue.popleft()
    if len(batch.planned) > runs and not batch.is_scored_together:
        queue.appendleft(replace(batch, planned=batch.planned[runs:]))
        return replace(batch, planned=batch.planned[:runs])
    return batch


class Alarm:
    """An alarm clock that raises `TooSlow` in the main thread."""

    def __init__(self) -> None:
        self.rang = False
        self._is_on = False

    @contextmanager
    def after(self, seconds: float) -> Iterator[None]:
        """A context that is stopped after `seconds`; if a library hides that, once more, and so on.

        It is not stopped in other threads, on systems without timers, and in a program that uses
        the timer itself.
        """
        if math.isinf(seconds) or not _is_free():
            yield
            return
        signal.signal(signal.SIGALRM, self._ring)
        try:
            self._is_on = True
            signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
            yield
        finally:
            try:
                self._is_on = False
            finally:  # also if the alarm rings just now
                signal.setitimer(signal.ITIMER_REAL, 0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if not self._is_on:
            return
        if _is_busy(frame):
            _, again = signal.getitimer(signal.ITIMER_REAL)
            signal.setitimer(signal.ITIMER_REAL, SNOOZE_SECONDS, again)
            return
        self.rang = True
        raise TooSlow


def _is_free() -> bool:
    """Whether this is the main thread, the system has timers, and the program uses none of them."""
    if threading.current_thread() is not threading.main_thread():
        return False
    if not hasattr(signal, "setitimer"):
        return False
    usual = signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    return usual and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def _is_busy(frame: FrameType | None) -> bool:
    """Whether a module is being imported, or a lock is taken, which must not stop halfway."""
    if frame is not None and _library(frame) in LOCKING:
        return True
    while frame is not None:
        if _library(frame) == IMPORTING:
            return True
        frame = frame.f_back
    return False


def _library(frame: FrameType) -> str:
    """The name of the library whose code a frame runs."""
    return str(frame.f_globals.get("__name__", "")).split(".")[0]
