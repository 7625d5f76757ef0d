"""Makes committed runs again, as evidence that changed code gives the same results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tqdm import tqdm

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError, RunsFailedError
from dpfair_cli.data_access import locate
from dpfair_cli.reproduction import proof
from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.runs import RunOptions
from dpfair_cli.running import rows, spec
from dpfair_cli.running.artefact_names import artefacts
from dpfair_cli.running.runner import RunBatch

NETWORKS = "torch"  # the library of methods that train for minutes
RUNNING = "running"  # the name in the lock of the code that executes every run
SECONDS = 2.0  # the progress bar appears after this time


@dataclass(frozen=True)
class Committed:
    """A row of a committed journal with the data needed to make the run again."""

    artefact: str
    """The artefact that the journal belongs to."""
    row: rows.Row
    """The committed row."""
    batch: RunBatch
    """The run of the row, as the only run of a batch."""

    @property
    def names(self) -> set[str]:
        """The names in the lock file on whose code the committed row depends."""
        kinds = {"tasks": "task", "datasets": "dataset", "algorithms": "algorithm"}
        return {RUNNING, *(f"{kind}/{self.row[key]}" for kind, key in kinds.items())}

    @property
    def variant(self) -> tuple[Any, ...]:
        """The names and the textual parameters of the committed row.

        Rows with equal results of this property differ only in numbers and execute the same code.
        """
        parameters = self.row["options"] | self.row["protocol"] | self.row["params"]
        words = {key: value for key, value in parameters.items() if isinstance(value, str)}
        return (*sorted(self.names), *words.items())

    @property
    def obstacle(self) -> str:
        """The reason why this machine cannot make the committed run again; empty if it can."""
        run, device = self.batch.planned[0].run, rows.device_of(self.row)
        if not device.is_processor:
            return f"rows of the device {device.name} are compared by their verdicts"
        modules = {run.dataset.source.needs, run.method.algorithm.needs} - {""}
        if NETWORKS in modules:
            return f"{run.method.name} on {run.dataset.name} trains a network for minutes"
        missing = [module for module in modules if not find_spec(module)]
        if missing:
            return f"the library {missing[0]} is not installed"
        try:
            locate(run.dataset, data_dir=self.batch.located.folder)
        except DpfairError:
            return f"the data of {run.dataset.name} are not in the data folder"
        return ""

    def comes_out(self) -> bool:
        """Whether making the committed run again gives an equal row; no checkpoint is used.

        A score that was renamed since the row was committed counts under its present name.
        """
        (planned,) = self.batch.planned
        committed = self.row.under_present_names(planned.run.task.study.renamed)
        try:
            row = proof.make_again(planned, self.batch.located)
        except RunsFailedError:
            return False
        return rows.line(row) == rows.line(committed)

    def __str__(self) -> str:
        dataset, algorithm, seed = (self.row[key] for key in ("dataset", "algorithm", "seed"))
        return f"{self.artefact}: {dataset}, {algorithm}, seed {seed}"


@dataclass(frozen=True)
class Check:
    """The result of repeating a sample of the runs that depend on a name in the lock."""

    same: list[Committed]
    """The rows that are equal to the byte."""
    other: list[Committed]
    """The rows that differ."""
    obstacles: list[str]
    """The reasons why other runs of the sample could not be made again."""


def check(names: Collection[str], *, data_dir: Path) -> dict[str, Check]:
    """The result of repeating a sample of the runs that use the code of each of `names`.

    A run that uses the code of several names is made only once.
    """
    checks = {name: Check([], [], []) for name in names}
    ready = []
    for row in sample(names, data_dir=data_dir):
        obstacle = row.obstacle
        if not obstacle:
            ready.append(row)
            continue
        for name in row.names & checks.keys():
            if obstacle not in checks[name].obstacles:
                checks[name].obstacles.append(obstacle)
    for row in tqdm(ready, desc="running rows again", unit="row", delay=SECONDS):
        same = row.comes_out()
        for name in row.names & checks.keys():
            (checks[name].same if same else checks[name].other).append(row)
    for found in checks.values():
        found.obstacles.sort()
    return checks


def sample(names: Collection[str], *, data_dir: Path) -> Iterator[Committed]:
    """Yields one committed row for each way of running the code of one of the locked `names`."""
    seen = set()
    for row in _committed_rows(names, data_dir):
        if row.names & set(names) and row.variant not in seen:
            seen.add(row.variant)
            yield row


def _committed_rows(names: Collection[str], data_dir: Path) -> Iterator[Committed]:
    """Yields the rows of the committed journals that may depend on one of the locked `names`."""
    results = paths.folder("results")
    for name in artefacts():
        found = spec.load(name)
        needed = {RUNNING, f"tasks/{found.task.name}"}
        needed |= {f"datasets/{dataset.name}" for dataset in found.datasets}
        needed |= {f"algorithms/{method.name}" for method in found.methods}
        if not needed & set(names) or not (results / name / "runs.jsonl").is_file():
            continue
        artefact = Artefact(found, RunOptions(data_dir, results, collect=True))
        for planned in artefact.runs.planned:
            if planned.key in artefact.runs.journal.rows:
                located = artefact.runs.located[planned.run.dataset]
                batch = RunBatch(located, (planned,), artefact.folder)
                yield Committed(name, artefact.runs.journal.rows[planned.key], batch)
