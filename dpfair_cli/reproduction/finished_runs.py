"""The finished runs of an artefact, as they stand in its journal: their number and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import pandas as pd

from dpfair_cli.reproduction.run_plan import RunPlan
from dpfair_cli.reproduction.run_table import run_table

PART = 2_000  # runs of a table that are dictionaries at one time: these take much memory


@dataclass(frozen=True)
class Progress:
    """The numbers of finished and of missing runs of an artefact."""

    finished: int
    """The number of runs that the journal has."""

    missing: Mapping[str, int]
    """The number of runs that the journal lacks, by the name of the data set."""


class FinishedRuns:
    """The finished runs of a plan; after more runs are made, a new object is needed."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self._rows: pd.DataFrame | None = None

    @property
    def number(self) -> int:
        """The number of planned runs that are in the journal."""
        return self.progress.finished

    @property
    def runs_to_make(self) -> int:
        """The number of runs that the journal lacks and that this machine can make."""
        return len(self.plan.runnable()) - self.number

    @cached_property
    def progress(self) -> Progress:
        """The numbers of finished and of missing runs."""
        rows = self.plan.journal.rows
        finished = sum(not one.reason or one.key in rows for one in self.plan.planned)
        return Progress(
            finished, Counter(one.run.dataset.name for one in self.plan.planned if one.reason)
        )

    def adopt(self, progress: Progress, rows: pd.DataFrame | None) -> None:
        """Takes what another process has read of the journal, which is then not read again."""
        self.progress, self._rows = progress, rows

    def rows(self) -> pd.DataFrame:
        """A table with a line per finished run of the artefact, or per point of its curves."""
        if self._rows is None:
            self._rows = self._read()
        return self._rows.copy(deep=False)  # a column that is added to it is not added here

    def _read(self) -> pd.DataFrame:

        plan, lines = self.plan, self.plan.journal.rows
        rows = ((one.run, lines.get(one.key)) for one in plan.planned)
        found = ((run, row) for run, row in rows if row)
        portions = iter(lambda: list(islice(found, PART)), [])
        parts = [run_table(portion, plan.spec) for portion in portions]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
