"""Where runs are made: here, in processes of this machine, or on a dask cluster."""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import Executor
from contextlib import ExitStack

from dpfair_cli.contracts.errors import DpfairError

WATCH_SECONDS = 1.0  # between two looks of a worker at who started it


class Workers(ExitStack):
    """`jobs` processes, or those of the dask cluster at the address `cluster`.

    They start when the first batch of runs is handed out and stop at the end of the block, so that all artefacts of a
    command share them: each process imports and loads but once.
    """

    def __init__(self, jobs: int = 1, cluster: str = "") -> None:
        super().__init__()
        self.jobs, self.cluster = jobs, cluster
        self._started = 0
        self._executor: Executor | None = None

    @property
    def alone(self) -> bool:
        """Whether this process makes the runs itself."""
        return self.jobs == 1 and not self.cluster

    @property
    def at_once(self) -> int:
        """How many batches to hand out at once: one a worker, or all where a cluster says not how many it has."""
        return sys.maxsize if self.cluster else self.jobs

    def idle(self, busy: int) -> int:
        """How many workers may take a share of what a worker leaves over, that one included."""
        return 1 if self.cluster else max(self.jobs - busy, 1)

    def executor(self, runs: int) -> Executor:
        """Where to hand out so many runs: no more processes are started than that.

        Raises:
            DpfairError: there is no dask to speak to the cluster with.
        """
        if self.cluster:
            return self._executor or self._dask()
        from loky import get_reusable_executor

        self._started = max(self._started, min(self.jobs, runs))
        found: Executor = get_reusable_executor(  # the one that is there, or a larger one
            max_workers=self._started, initializer=_end_with, initargs=(os.getpid(),)
        )
        if found is not self._executor:
            self._executor = self.enter_context(found)
        return found

    def _dask(self) -> Executor:
        try:
            from distributed import Client  # type: ignore[attr-defined, unused-ignore]
        except ImportError as error:
            raise DpfairError("--cluster needs dask: pip install 'dpfair[cluster]'") from error
        client = self.enter_context(Client(self.cluster))  # type: ignore[no-untyped-call, unused-ignore]
        found: Executor = self.enter_context(client.get_executor())
        self._executor = found
        return found


def _end_with(parent: int) -> None:
    """End this process soon after the one that hands out the work is gone: a long run would go on for nobody."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def default_jobs() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
