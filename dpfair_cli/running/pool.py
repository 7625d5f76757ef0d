"""The processes of a command: which executor has them, how they begin and how they end.

=============  ==============================  =================================================
where          executor                        why
=============  ==============================  =================================================
Linux          the standard library's, forked  a fork has what the process has read and imported,
                                               so it begins in milliseconds
other systems  loky                            a fork is not safe on macOS, and Windows has none;
                                               loky sends any function, and a process of it does
                                               not run the user's script again
a cluster      dask                            its workers are on other machines
=============  ==============================  =================================================

Linux has loky, too, after a library of NOT_FORKED was imported. One job needs no process. Results
depend neither on the executor nor on the number of processes.
"""

from __future__ import annotations

import gc
import io
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr
from types import TracebackType
from typing import Any, Self, TypeVar

from threadpoolctl import threadpool_limits

from dpfair_cli.contracts.errors import DpfairError, how_to_install

CONNECT_SECONDS = 5.0  # time for a cluster to answer
WATCH_SECONDS = 1.0  # time between two checks of a process whether its parent process still runs
NOT_FORKED = {"lightgbm", "torch"}  # their threads and devices do not survive a fork

Item = TypeVar("Item")
Result = TypeVar("Result")
Called = tuple[Any, str] | None  # a result and the text for stderr; None after an error
_shared: list[Any] = []  # in a process of `map_in_order`: the function and the items


def map_in_order(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int,
    tick: Callable[[int], Any] = lambda count: None,
) -> list[Result]:
    """The results of a function for the items, in their order, with at most `jobs` forks.

    The first error in the order of the items is raised, and what the calls write to stderr is in
    this order, too. `tick` is called with 1 after each item. Where no process can be forked, the
    present one makes all calls: other processes begin later than such calls end.
    """
    results = []
    size = min(jobs, len(items))
    with Workers(size) as workers:
        # the forks have the function and the items, so that only places are sent to them
        shared = size > 1 and forks() and workers.begin(size, function, items)
        calls = [workers.submit(_call, place) for place in range(len(items) if shared else 0)]
        for place, item in enumerate(items):
            result, said = (_called(calls[place]) if calls else None) or (function(item), "")
            sys.stderr.write(said)
            results.append(result)
            tick(1)
    return results


def _call(place: int) -> Called:
    """What the shared function returns for the item at a place, and writes to stderr.

    None after an error: not every error can be sent, and the present call is made again.
    """
    function, items = _shared
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            return function(items[place]), said.getvalue()
    except Exception:
        return None


def _called(call: Future[Called]) -> Called:
    """What a call has returned; None, too, if its process was killed or cannot send the result."""
    try:
        return call.result()
    except Exception:
        return None


class Workers:
    """At most `jobs` processes of this machine, or those of the dask cluster at an address.

    They begin with the first task and end with the block. All artefacts of a command share them, so
    that each process imports and loads once.
    """

    def __init__(self, jobs: int = 1, cluster: str = "") -> None:
        self.jobs, self.cluster = jobs, cluster
        self._executor: Executor | None = None
        self._size = 0
        self._shared: tuple[Any, ...] = ()
        self._client: Any = None  # of dask

    def __enter__(self) -> Self:
        """The processes, at the start of a `with` statement."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Ends the processes; immediately after an error or an interrupt."""
        self._end(killed=kind is not None)

    @property
    def at_once(self) -> int:
        """The number of batches of runs to hand out at once: one per process; to a cluster, all."""
        return sys.maxsize if self.cluster else self.jobs

    def idle(self, busy: int) -> int:
        """The number of processes, given `busy` ones, that may share one process's runs.

        The process itself is counted.
        """
        return 1 if self.cluster else max(self.jobs - busy, 1)

    def begin(self, tasks: int, *shared: Any) -> bool:
        """Begins processes for so many tasks, with the `shared` objects that `_call` needs.

        Returns False if the system gives no more processes or files.

        Raises:
            DpfairError: dask is not installed, or no cluster answers at the address.
        """
        try:
            self._begin(min(self.jobs, tasks), shared)
        except OSError:
            return False
        return True

    def submit(self, function: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """A call that one of the processes makes.

        Raises:
            DpfairError: as `begin`.
            OSError: the system gives no more processes or files.
        """
        while True:
            executor = self._executor or self._begin(self.jobs, ())
            try:
                return executor.submit(function, *arguments)
            except BrokenExecutor:  # a process died, and other ones take the place of all
                size, shared = self._size, self._shared
                self._end(killed=True)
                self._begin(size, shared)

    def _begin(self, size: int, shared: tuple[Any, ...]) -> Executor:
        """The executor with `size` or more processes that have begun, or that of the cluster."""
        if self._executor and (self.cluster or size <= self._size):
            return self._executor
        self._end(killed=False)
        if self.cluster:
            self._client = connected(self.cluster)
            # A pure task gets a name from its arguments; to name a class, dask adds an attribute to
            # it, and an object without it is then no instance of a runtime-checkable protocol.
            found: Executor = self._client.get_executor(pure=False)
            self._executor = found
            return found
        self._executor, self._size, self._shared = _local(size, shared), size, shared
        try:
            with shielded():
                self._executor.submit(int)  # with the first task, all processes begin
        except BaseException:
            self._end(killed=True)
            raise
        return self._executor

    def _end(self, *, killed: bool) -> None:
        """Ends the processes, also during their calls if `killed`, or the use of the cluster."""
        executor, self._executor, self._size, self._shared = self._executor, None, 0, ()
        if self._client:
            self._client.close()
            self._client = None
        elif isinstance(executor, ProcessPoolExecutor):
            if killed:
                _kill(executor)
            executor.shutdown(cancel_futures=True)
        elif executor:
            executor.shutdown(kill_workers=killed)  # type: ignore[call-arg]


def _kill(executor: ProcessPoolExecutor) -> None:
    """Ends the processes of an executor during their calls; Python has no call for it before 3.14.

    A process may die in the middle of a result. The thread that reads results would wait for the
    rest, and the end of the executor for this thread, while anybody holds the writing end.
    """
    for process in list((executor._processes or {}).values()):
        process.kill()
        process.join()
    results: Any = executor._result_queue
    if results:
        results._writer.close()


def forks() -> bool:
    """Whether the processes of this machine are forks of the present one."""
    return sys.platform == "linux" and NOT_FORKED.isdisjoint(sys.modules)


def _local(size: int, shared: tuple[Any, ...]) -> Executor:
    """An executor with `size` processes of this machine, which have not begun."""
    how: dict[str, Any] = {"initializer": _settle, "initargs": (os.getpid(), shared)}
    if forks():
        return ProcessPoolExecutor(size, multiprocessing.get_context("fork"), **how)
    from loky import ProcessPoolExecutor as Loky  # whose import takes longer than a fork

    found: Executor = Loky(size, **how)
    return found


def _settle(parent: int, shared: tuple[Any, ...]) -> None:
    """Prepares a process that has begun: how it ends, its threads, and the shared objects."""
    # an interrupt reaches all processes of a terminal, and only the parent handles it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # not the handler that a fork has of its parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    gc.freeze()  # a search for unused objects would touch, and thus copy, all memory of a fork
    threadpool_limits(1)  # as many threads compute as there are processes
    _shared[:] = shared

    def watch() -> None:  # no long run continues without its parent
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def connected(cluster: str) -> Any:
    """The client of the dask cluster at an address.

    Raises:
        DpfairError: dask is not installed, or no cluster answers at the address.
    """
    try:
        from distributed import Client  # type: ignore[attr-defined, unused-ignore]
    except ImportError as error:
        raise DpfairError(f"--cluster needs dask: {how_to_install(['distributed'])}") from error
    gc.collect()  # a client that failed before must not end while the next one holds its lock
    try:
        return Client(cluster, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call, unused-ignore]
    except Exception as error:  # a server at the address can cause any exception
        cause = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DpfairError(f"no dask cluster answers at {cluster!r}: {cause}") from error


@contextmanager
def shielded() -> Iterator[None]:
    """A context in which processes begin that no signal ends before they are settled.

    Ctrl-C and SIGTERM wait for its end. The mask alone is not enough: another thread may receive
    them, and the main thread then handles them at once.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    numbers = {signal.SIGINT, signal.SIGTERM}
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
        for received in waiting:
            signal.raise_signal(received)


def is_death(error: BaseException) -> bool:
    """Whether an error means that a process died, and not that a call raised an error."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def default_jobs() -> int:
    """The number of processors that the present process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
