"""Calls of functions on the processes of a cluster, with the results in the order of the calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from itertools import islice
from typing import TypeVar

from threadpoolctl import threadpool_limits

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.provenance import arithmetic
from dpfair_cli.running.pool import Workers, is_death
from dpfair_cli.running.progress import SECONDS, bar

AT_ONCE = 128  # calls that wait on the cluster, whose results the present process must hold
Value = TypeVar("Value")
Call = Callable[[], Value]


def in_order(calls: Sequence[Call[Value]], workers: Workers, *, words: str) -> Iterator[Value]:
    """Yields the results of calls that the processes of `workers` make, in the order of the calls.

    A progress bar with the title `words` counts the calls.

    Raises:
        DpfairError: a call raised it, a worker ended during a call, or the cluster does not answer.
    """
    rest = iter(calls)
    waiting: deque[Future[tuple[Value, str]]] = deque()
    with bar(desc=words, total=len(calls), unit="part", delay=SECONDS, leave=False) as shown:
        try:
            while True:
                more = islice(rest, AT_ONCE - len(waiting))
                waiting.extend(workers.submit(_called, call) for call in more)
                if not waiting:
                    return
                value, unsettled = _result(waiting.popleft(), workers)
                arithmetic.warn(unsettled)
                shown.update()
                yield value
        finally:  # otherwise, after an error, stopping the workers would wait for all calls
            for future in waiting:
                future.cancel()


def _called(call: Call[Value]) -> tuple[Value, str]:
    """The result of a call with one thread, and how the worker's arithmetic differs, or empty."""
    with threadpool_limits(1):
        return call(), arithmetic.unsettled()


def _result(future: Future[tuple[Value, str]], workers: Workers) -> tuple[Value, str]:
    """What `_called` returned on a worker.

    Raises:
        DpfairError: the call raised it, the worker ended, or the cluster does not answer.
    """
    try:
        return future.result()
    except CancelledError as error:
        raise DpfairError(
            f"the cluster {workers.cluster} does not answer any more: run the command again"
        ) from error
    except Exception as error:
        if not is_death(error):
            raise
        raise DpfairError(
            "several workers ended on the same part of the table, probably because the part does "
            "not fit into their memory: give each worker at least 500 MB and one thread"
        ) from error
