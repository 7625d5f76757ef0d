"""The processes that make runs: the present process, a pool on this machine, or a dask cluster."""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import ExitStack, contextmanager
from typing import Any

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.extras import how_to_install

CONNECT_SECONDS = 5.0  # time for a cluster to answer
START_SECONDS = 2.0  # processor time of a worker process before its first run
PATIENCE_SECONDS = 1.0  # least time before a run in the present process is stopped
NOT_SLOWER = 1.05  # largest time with worker processes, divided by the time without
WATCH_SECONDS = 1.0  # time between two checks of a worker whether its parent process still runs


class Workers(ExitStack):
    """A pool of `jobs` processes, or the processes of the dask cluster at the address `cluster`.

    The processes start with the first batch of runs and stop at the end of the block. All artefacts
    of a command share the processes, so each process imports and loads once.
    """

    def __init__(self, jobs: int = 1, cluster: str = "") -> None:
        super().__init__()
        self.jobs, self.cluster = jobs, cluster
        self._started = 0
        self._executor: Executor | None = None

    def __exit__(self, kind: type[BaseException] | None, *details: Any) -> bool:
        """Stops the worker processes; immediately after an error or an interrupt."""
        if kind is not None and not self.cluster and self._executor:
            self._executor.shutdown(kill_workers=True)  # type: ignore[call-arg]
        return bool(super().__exit__(kind, *details))

    @property
    def at_once(self) -> int:
        """The number of batches of runs to hand out at once: one per process; to a cluster, all."""
        return sys.maxsize if self.cluster else self.jobs

    def pay(self, seconds: float, loading: float = 0.0) -> bool:
        """Whether worker processes end runs of `seconds` sooner than the present process alone.

        All are processor seconds. A worker needs START_SECONDS and `loading` before its first run.
        """
        if self.cluster or self._executor:
            return True
        return seconds * (1 - 1 / self.jobs) > START_SECONDS + loading

    def patience(self, runs: int, loading: float = 0.0) -> float:
        """The seconds after which the first of `runs` equal runs should go to a worker process.

        All runs then take at most NOT_SLOWER times as long as in the present process alone, however
        long a run is.
        """
        saved = runs * (NOT_SLOWER - 1 / min(self.jobs, runs)) - 1
        if self.jobs == 1 or saved <= 0:
            return math.inf
        return max(PATIENCE_SECONDS, (START_SECONDS + loading) / saved)

    def idle(self, busy: int) -> int:
        """The number of worker processes, given `busy` ones, that may share one process's runs.

        The process itself is counted.
        """
        return 1 if self.cluster else max(self.jobs - busy, 1)

    def executor(self, runs: int) -> Executor:
        """The executor that makes `runs` runs, with at most as many processes as runs.

        Raises:
            DpfairError: dask is not installed, or no cluster answers at the address.
        """
        if self.cluster:
            return self._executor or self._dask()
        from loky import get_reusable_executor

        self._started = max(self._started, min(self.jobs, runs))
        found: Executor = get_reusable_executor(  # the present executor, or a larger one
            max_workers=self._started, initializer=end_with, initargs=(os.getpid(),)
        )
        if found is not self._executor:
            self._executor = self.enter_context(found)
        return found

    def _dask(self) -> Executor:
        try:
            from distributed import Client  # type: ignore[attr-defined, unused-ignore]
        except ImportError as error:
            raise DpfairError(f"--cluster needs dask: {how_to_install(['distributed'])}") from error
        gc.collect()  # a client that failed before must not end while the next one holds its lock
        try:
            client: Any = Client(self.cluster, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call, unused-ignore]
        except Exception as error:  # a server at the address can cause any exception
            cause = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DpfairError(f"no dask cluster answers at {self.cluster!r}: {cause}") from error
        self.enter_context(client)
        # A pure task gets a name from its arguments; to name a class, dask adds an attribute to it,
        # and an object without this attribute is then no instance of a runtime-checkable protocol.
        found: Executor = self.enter_context(client.get_executor(pure=False))
        self._executor = found
        return found


@contextmanager
def shielded(*signals: int) -> Iterator[None]:
    """A context in which processes start that no Ctrl-C reaches, also while they import.

    Ctrl-C and further `signals` to the present process wait for its end. The mask alone is not
    enough: another thread may receive them, and the main thread then handles them at once.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {signal.SIGINT, *signals}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    waiting: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {n: signal.signal(n, lambda n, _: waiting.append(n)) for n in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in waiting:
            signal.raise_signal(number)


def is_death(error: BaseException) -> bool:
    """Whether an error means that a worker process died, and not that a run raised an error."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def end_with(parent: int) -> None:
    """Ends the present process soon after its parent process, so that no long run continues alone.

    An interrupt reaches all processes of a terminal; only the parent handles the interrupt.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def default_jobs() -> int:
    """The number of processors that the present process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
