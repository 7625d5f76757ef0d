"""The unit of work of a process, and what the process returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.catalog import matching
from dpfair_cli.contracts.results import ScoredTogether
from dpfair_cli.contracts.specs import Run
from dpfair_cli.data_access.locating import Located
from dpfair_cli.running.plan import PlannedRun
from dpfair_cli.running.rows import Row


@dataclass(frozen=True)
class RunBatch:
    """Runs to make that share one split of one data set, and a device; the work of a process."""

    located: Located
    """The data."""

    planned: tuple[PlannedRun, ...]
    """The runs."""

    checkpoints: Path
    """The folder for the checkpoints of long runs."""

    @property
    def is_scored_together(self) -> bool:
        """Whether the models of the runs are scored together, since the data are read in parts."""
        together = isinstance(self.planned[0].run.task.study.study, ScoredTogether)
        return together and matching.is_in_parts(self.located.dataset.source)


class FailedRun(NamedTuple):
    """A run that raised an error, or whose worker process died."""

    run: Run
    """The run."""

    cause: str
    """The error, in one line."""

    def __str__(self) -> str:
        """The failed run with its parameters, and the error."""
        given = ", ".join(f"{name}={value}" for name, value in self.run.method.params.items())
        called = f"{self.run.dataset.name}, {self.run.method.name}({given})"
        return f"{called}, seed {self.run.seed}: {self.cause}"


@dataclass(frozen=True)
class BatchResult:
    """The finished rows, failed runs and remaining runs that a worker returns for a batch."""

    rows: list[Row]
    """Finished rows."""

    failures: list[FailedRun]
    """Failed runs."""

    rest: RunBatch
    """The runs that were not begun."""

    unsettled: str
    """The difference of the worker's arithmetic from the chosen one; empty if equal."""
