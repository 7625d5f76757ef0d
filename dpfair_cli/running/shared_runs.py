"""Makes runs in copies of the present process, which take them from a common list.

A copy (a fork) has the data and the imported libraries, so even a short sweep is shared. A copy
makes the runs of one split after another, because values that are computed once for a split stay in
its memory. When all splits have begun, it makes runs that are left of the others.

Copies are made where `copies.can_copy` says so. The present process makes no run.
"""

from __future__ import annotations

import io
import mmap
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.running.batches import Batch, BatchResult
from dpfair_cli.running.copies import Reader, Writer, copies
from dpfair_cli.running.own_process import Costs, runs_here
from dpfair_cli.running.workers import Workers


class Part(NamedTuple):
    """Runs of a batch."""

    place: int
    """The place of the batch in the list."""

    begin: int
    """The place of the first of the runs in the batch."""

    end: int
    """The place behind the last of them."""


class CommonList:
    """A list of batches, of which copies of the present process take the next runs."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._sizes = np.array([len(batch.planned) for batch in batches])
        shared = mmap.mmap(-1, self._sizes.nbytes)
        self._taken = np.frombuffer(shared, self._sizes.dtype)  # runs of each batch
        self._lock = os.memfd_create("runs")  # in memory: no folder must be writable
        self._own = -1  # the place of the batch of which the present process took runs

    def take(self, most: int) -> Part | None:
        """The next runs, of one batch and at most `most`; None if all runs are taken."""
        with self._locked():
            left = self._sizes - self._taken
            if self._own < 0 or not left[self._own]:
                unbegun = np.flatnonzero(self._taken == 0)
                self._own = int(unbegun[0] if len(unbegun) else left.argmax())
            begin = int(self._taken[self._own])
            end = min(begin + most, int(self._sizes[self._own]))
            self._taken[self._own] = end
        return Part(self._own, begin, end) if end > begin else None

    def close(self) -> None:
        """Ends the use of the list by the present process."""
        os.close(self._lock)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """A context in which one process is at a time; the end of a process ends it, too."""
        import fcntl  # only where copies are made

        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)


def shared_runs(
    queue: deque[Batch],
    work: Callable[[Batch], BatchResult],
    jobs: int,
    meanwhile: Callable[[], Any],
) -> Iterator[BatchResult]:
    """Yields the results of the runs that at most `jobs` copies make, and calls `meanwhile` once.

    The runs of a copy that was killed stay in the queue. Where the system gives no copies, the
    present process makes all runs.

    Raises:
        Exception: as `work`.
    """
    batches = list(queue)
    try:
        common = CommonList(batches)
    except OSError:  # no more files can be opened
        yield from runs_here(queue, work, Workers(), 0.0)
        return
    known = _known(batches)
    left = [set(range(len(batch.planned))) for batch in batches]
    runs = sum(map(len, left))
    act = partial(_send_runs, common, batches, work, known)
    with closing(common), copies(min(jobs, runs), act) as pipes:
        if not pipes:
            yield from runs_here(queue, work, Workers(), 0.0)
            return
        with suppress(Exception):  # what is needed later raises its error then, with all runs kept
            meanwhile()
        for content in _contents(pipes):
            found = Reader(io.BytesIO(content), known).load()
            if isinstance(found, Exception):
                raise found
            part, rows, failures, unsettled = found
            left[part.place] -= set(range(part.begin, part.end))
            yield BatchResult(rows, failures, replace(batches[part.place], planned=()), unsettled)
    queue.clear()
    for batch, places in zip(batches, left, strict=True):
        rest = tuple(batch.planned[place] for place in sorted(places))
        queue.extend([replace(batch, planned=rest)] if rest else [])


def _known(batches: Iterable[Batch]) -> list[object]:
    """The objects in results that a copy does not send: settings and runs."""
    planned = [one for batch in batches for one in batch.planned]
    return [*{one.setting for one in planned}, *(one.run for one in planned)]


def _contents(pipes: Iterable[Connection]) -> Iterator[bytes]:
    """Yields what the pipes contain, until all are at their end."""
    open_ones = list(pipes)
    while open_ones:
        for pipe in wait(open_ones):
            assert isinstance(pipe, Connection)
            try:
                yield pipe.recv_bytes()
            except (EOFError, OSError):  # the copy has ended, perhaps within a message
                open_ones.remove(pipe)


def _send_runs(
    common: CommonList,
    batches: Sequence[Batch],
    work: Callable[[Batch], BatchResult],
    known: Sequence[object],
    pipe: Connection,
) -> None:
    """Makes runs from the common list and sends them; an error of `work` is sent, too."""
    costs = Costs(left=0)

    def send(found: object) -> None:
        content = io.BytesIO()
        Writer(content, known).dump(found)
        pipe.send_bytes(content.getbuffer())

    try:
        while part := common.take(costs.group):
            batch = batches[part.place]
            rest = replace(batch, planned=batch.planned[part.begin : part.end])
            while rest.planned:
                began, begin = time.monotonic(), part.end - len(rest.planned)
                result = work(rest)
                rest = result.rest
                made = Part(part.place, begin, part.end - len(rest.planned))
                send((made, result.rows, result.failures, result.unsettled))
                costs.add(0.0, time.monotonic() - began, made.end - made.begin)
    except Exception as error:
        send(error)
