"""Committed rows run again: the evidence that code which moved gives the same results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tqdm import tqdm

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access.locating import locate
from dpfair_cli.reproduction.artefact import Artefact, RunOptions
from dpfair_cli.running import journal, runner, spec
from dpfair_cli.running.artefact_names import artefacts

NETWORKS = "torch"  # the module of what trains for minutes
RUNNING = "running"  # the name of the code that every run goes through
SECONDS = 2.0  # a shorter check shows no bar


@dataclass(frozen=True)
class Committed:
    """A row of a committed journal, and how to run it again."""

    artefact: str
    row: journal.Row
    batch: runner.Batch

    @property
    def names(self) -> set[str]:
        """The names in the lock that the row depends on."""
        kinds = {"tasks": "task", "datasets": "dataset", "algorithms": "algorithm"}
        return {RUNNING, *(f"{kind}/{self.row[key]}" for kind, key in kinds.items())}

    @property
    def variant(self) -> tuple[Any, ...]:
        """Names and words among the parameters: rows with the same ones differ in numbers and go
        the same way.
        """
        words = {key: value for part in ("options", "protocol", "params") for key, value in self.row[part].items()
                 if isinstance(value, str)}  # fmt: skip
        return (*sorted(self.names), *words.items())

    @property
    def obstacle(self) -> str:
        """Why the row cannot be run again here, if it cannot."""
        run = self.batch.planned[0].run
        modules = {run.dataset.source.needs, run.method.algorithm.needs} - {""}
        if NETWORKS in modules:
            return f"{run.method.name} on {run.dataset.name} trains a network for minutes"
        if missing := [module for module in modules if not find_spec(module)]:
            return f"{missing[0]} is not here"
        try:
            locate(run.dataset, data_dir=self.batch.located.folder)
        except DpfairError:
            return f"the data of {run.dataset.name} are not here"
        return ""

    def comes_out(self) -> bool:
        """Whether the row comes out again to the byte; no training run goes on from what earlier
        code has left.
        """
        with TemporaryDirectory() as empty:
            answer = runner.work(replace(self.batch, checkpoints=Path(empty)))
        return [journal.line(row) for row in answer.rows] == [journal.line(self.row)]

    def __str__(self) -> str:
        return f"{self.artefact}: {self.row['dataset']}, {self.row['algorithm']}, seed {self.row['seed']}"


@dataclass(frozen=True)
class Check:
    """What running the sample of a name's rows again has shown."""

    same: list[Committed]
    other: list[Committed]
    obstacles: list[str]


def check(names: Collection[str], *, data_dir: Path) -> dict[str, Check]:
    """Run the samples of `names` again, each row once."""
    chosen = list(sample(names, data_dir=data_dir))
    obstacles = {place: row.obstacle for place, row in enumerate(chosen)}
    ready = [row for place, row in enumerate(chosen) if not obstacles[place]]
    found = [
        (row, row.comes_out())
        for row in tqdm(ready, desc="running rows again", unit="row", delay=SECONDS)
    ]
    return {
        name: Check(
            [row for row, same in found if same and name in row.names],
            [row for row, same in found if not same and name in row.names],
            sorted(
                {obstacles[place] for place, row in enumerate(chosen) if name in row.names} - {""}
            ),
        )
        for name in names
    }


def sample(names: Collection[str], *, data_dir: Path) -> Iterator[Committed]:
    """The first committed row of each variant that depends on one of `names`."""
    seen = set()
    for row in _rows(names, data_dir):
        if row.names & set(names) and row.variant not in seen:
            seen.add(row.variant)
            yield row


def _rows(names: Collection[str], data_dir: Path) -> Iterator[Committed]:
    """The committed rows of the artefacts that may depend on one of `names`."""
    results = paths.folder("results")
    for name in artefacts():
        found = spec.load(name)
        kinds = (
            ("tasks", (found.task,)),
            ("datasets", found.datasets),
            ("algorithms", found.methods),
        )
        parts = {RUNNING, *(f"{kind}/{part.name}" for kind, members in kinds for part in members)}
        if not parts & set(names) or not (results / name / "runs.jsonl").is_file():
            continue
        artefact = Artefact(found, RunOptions(data_dir, results, collect=True))
        for planned in artefact.planned:
            if planned.key in artefact.journal.rows:
                batch = runner.Batch(
                    artefact.located[planned.run.dataset], (planned,), artefact.folder
                )
                yield Committed(name, artefact.journal.rows[planned.key], batch)
