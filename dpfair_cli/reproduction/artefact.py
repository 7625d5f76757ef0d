"""One artefact from its spec to its files: plan, run, render, check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.contracts.errors import naming
from dpfair_cli.contracts.layouts import PublishedPoint
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import Part, Run, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.data_access.locating import Located
from dpfair_cli.paths import committed, folder
from dpfair_cli.release import guarantee
from dpfair_cli.running import runner
from dpfair_cli.running.journal import Journal, Row
from dpfair_cli.running.plan import Pending, plan
from dpfair_cli.running.spec import load
from dpfair_cli.running.workers import Workers
from dpfair_cli.verdicts.deviations.deviation import datasets_not_run, read_deviations
from dpfair_cli.verdicts.paper import Paper, read_paper

if TYPE_CHECKING:
    import pandas as pd

    from dpfair_cli.reporting.report import ReportedArtefact


LEAK = "BOUNDS FROM THE DATA"
AS_IT_IS = "Not private as it is: exact scores, known seeds, one unit noise for all epsilons of a seed (to compare)"


@dataclass(frozen=True)
class RunOptions:
    """How to run artefacts: where data and results are, what makes the runs, and what to run at
    all.
    """

    data_dir: Path
    out: Path
    workers: Workers = field(default_factory=Workers)
    quick: bool = False
    fresh: bool = False
    collect: bool = False


class Artefact:
    """A spec with its data and its journal."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.folder = options.out / spec.artefact
        self.located = {part: self._locate(part) for part in spec.datasets}
        self.journal = self._journal()
        self.planned = plan(spec, self.journal, self.located)

    def _journal(self) -> Journal:
        """The journal of earlier runs: none for a fresh start, and quick runs have no committed
        ones.
        """
        file = self.folder / "runs.jsonl"
        if self.options.fresh:
            return Journal.blank(file)
        return Journal(
            file, None if self.options.quick else committed(f"{self.spec.artefact}/runs.jsonl.gz")
        )

    def _locate(self, part: Part) -> Located:
        """The data; where no run is missing they need not be here."""
        if self.options.quick:
            return locating.locate(
                part.name, part.params, data_dir=self.options.data_dir, replica_ok=True
            )
        return locating.declared(part.name, part.params, data_dir=self.options.data_dir)

    def require_data(self) -> None:
        """Refuse to begin without the data of the runs that are to be made.

        Raises:
            DpfairError: some are not here, and how to get them.
        """
        misses = (
            []
            if self.options.collect
            else [pending.run for pending in self._runnable(self.planned) if pending.reason]
        )
        for part in {run.dataset.name: run.dataset for run in misses}.values():
            locating.locate(
                part.name,
                part.params,
                data_dir=self.options.data_dir,
                replica_ok=self.options.quick,
            )

    @property
    def runs_to_make(self) -> int:
        """How many runs the journal does not have and this machine can make."""
        return len(self._runnable(self.planned)) - self.finished_runs

    @property
    def not_run(self) -> dict[str, str]:
        """The data sets that are declared as not run, and why."""
        found = read_deviations(folder("experiments") / self.spec.paper / "deviations.yaml")
        return datasets_not_run(self.spec.name, found)

    @property
    def missing_runs(self) -> int:
        """How many runs the journal does not have on other data sets."""
        declared = self.not_run
        return sum(
            bool(pending.reason) and pending.run.dataset.name not in declared
            for pending in self.planned
        )

    @property
    def missing_modules(self) -> dict[str, str]:
        """The data sets and methods that no run can be made with here, and which module is missing."""
        needs = {part.name: catalog.dataset(part.name).needs for part in self.spec.datasets}
        needs |= {part.name: catalog.algorithm(part.name).needs for part in self.spec.algorithms}
        return {
            name: module for name, module in needs.items() if module and find_spec(module) is None
        }

    @property
    def finished_runs(self) -> int:
        """How many runs the journal has."""
        return sum(pending.key in self.journal.rows for pending in self.planned)

    def run(self, tick: Callable[[int], Any]) -> list[str]:
        """Run what is missing; returns the failures. The journal is put in order when this ends."""
        if self.options.collect:
            return []
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.options.fresh:
            self.journal.put_aside()
        todo = self._runnable(self.planned)
        failures = runner.execute(
            todo, self.located, self.journal, workers=self.options.workers, tick=tick
        )
        self.journal.rewrite(pending.key for pending in self.planned)
        return failures

    def rows(self) -> pd.DataFrame:
        """One line per finished run, or per point of its curves: names, every parameter, every
        score.
        """
        import pandas as pd

        finished = [pending for pending in self.planned if pending.key in self.journal.rows]
        rows = [(pending.run, self.journal.rows[pending.key]) for pending in finished]
        return pd.DataFrame([line for run, row in rows for line in lines(run, row, self.spec)])

    def notes(self) -> tuple[str, ...]:
        """What a reader of a table or a picture must know of the data, first in words in capitals."""
        standins = [
            f"{word}: {self._describe_standin(name, word)}"
            for name, word in self.standins().items()
        ]
        leak = f"{LEAK}: ranges and levels were read from the private data; no privacy claim covers that"
        private = [AS_IT_IS] if self._of_private_data else []
        return (*standins, *([leak] if self._bounds_from_data else []), *private)

    def remarks(self) -> tuple[str, ...]:
        """What a table says of private data below its notes: what became of values outside the
        domain, and the price.

        The price is what the fits would cost together if they were published.
        """
        by_domain = any(part.params.get("domain") for part in self.spec.datasets)
        mapped = f"{OUTSIDE_RULE[0].upper()}{OUTSIDE_RULE[1:]}."
        return (
            *([mapped] if by_domain else []),
            *([self._price()] if self._of_private_data else []),
        )

    def _price(self) -> str:
        times = catalog.task(self.spec.task.name).fits(self.spec.task.params)
        fits = [
            (run.algorithm.name, run.algorithm.params)
            for run in self.spec.runs()
            for _ in range(times)
        ]
        return f"Published, each with secret noise of its own, these fits would cost together: {guarantee.price(fits)}"

    def standins(self) -> dict[str, str]:
        """Data sets that are not the paper's own, and what they are instead."""
        found = {
            part.name: standin(part.name, replica=located.replica)
            for part, located in self.located.items()
        }
        return {name: word for name, word in found.items() if word}

    def statuses(self) -> dict[str, str]:
        """The privacy status of every method; void where bounds are from the data, or scores of
        private data unpaid.
        """
        broken = guarantee.broken_by_bounds("data" if self._bounds_from_data else "public")
        broken += [guarantee.UNPAID_SCORES] if self._of_private_data else []
        private_last = sorted(
            self.spec.algorithms, key=lambda part: part.params.get("epsilon") != np.inf
        )
        found = {
            part.method: catalog.privacy(part.name, part.params, broken) for part in private_last
        }
        return {method: found[part.method] for method, part in self.spec.methods.items()}

    def render(self) -> ReportedArtefact:
        """Write the artefact's files and its verdicts; needs at least one finished run.

        Raises:
            DpfairError: a claim, a deviation or a published cell is not well formed.
        """
        from dpfair_cli.reporting import check_page, report, tables
        from dpfair_cli.reporting.figures import artefact_differences
        from dpfair_cli.verdicts.decision import decide_artefact

        rows = self.rows()
        paper = read_paper(folder("experiments") / self.spec.paper)
        verdicts = decide_artefact(
            rows,
            self.spec,
            paper,
            standins=self.standins(),
            unpublished=unpublished_settings(self.spec),
        )
        notes = (*self.notes(), *self.remarks())
        table = tables.make(rows, self.spec, verdicts.cells, notes=notes, statuses=self.statuses())
        table = replace(table, published=self._published_points(paper))
        with naming(self.folder):
            self.spec.layout.write(rows, table, self.spec, self.folder, notes=self.notes())
            artefact_differences.write(verdicts, self.spec, table, self.folder, notes=self.notes())
            check_page.write(verdicts, self.spec, self.folder)
        return report.ReportedArtefact(self.spec, table, verdicts)

    def _published_points(self, paper: Paper) -> tuple[PublishedPoint, ...]:
        """The published cells that the picture can show, also those of other artefacts that its
        layout names.
        """
        from dpfair_cli.verdicts.cells.published_points import published_points

        lenders = [
            load(f"{self.spec.paper}/{name}") for name in self.spec.layout.placement.artefacts
        ]
        return published_points(self.spec, lenders, paper.published, standins=self.standins())

    @property
    def _bounds_from_data(self) -> bool:
        """Whether a data set is a user's own without a public domain."""
        return any(
            catalog.dataset(part.name).reads_bounds(part.params) for part in self.spec.datasets
        )

    @property
    def _of_private_data(self) -> bool:
        """Whether a data set is a user's own: not a copy of what others published, and so perhaps
        private.
        """
        return any(catalog.dataset(part.name).public_files for part in self.spec.datasets)

    def _runnable(self, planned: list[Pending]) -> list[Pending]:
        """The runs that the journal has or that this machine can make."""
        missing = self.missing_modules
        return [
            pending
            for pending in planned
            if not pending.reason
            or missing.keys().isdisjoint((pending.run.dataset.name, pending.run.algorithm.name))
        ]

    def _describe_standin(self, name: str, word: str) -> str:
        """What a stand-in is, in words."""
        dataset = catalog.dataset(name)
        if word == "REPLICA" and dataset.replica:
            return f"{name} is {dataset.replica.note}; compare it with nothing"
        return f"{name} stands {dataset.note.removeprefix(word).strip()}"


def lines(run: Run, row: Row, spec: Spec) -> Iterator[dict[str, Any]]:
    """A finished run as lines: one, or one for each point of its curves where the layout shows
    their axis.
    """
    names = {"dataset": run.dataset.name, "method": run.method, "algorithm": run.algorithm.name}
    line = {**names, "seed": run.seed, **run.dataset.params, **run.algorithm.params}
    line |= {**row["scores"], **row.get("outputs", {})}
    curves = row.get("curves", {})
    if not spec.curve:  # the layout does not show the axis of the curves
        yield line
        return
    for point in zip(*curves.values(), strict=True):
        yield line | dict(zip(curves, point, strict=True))


def standin(dataset: str, *, replica: bool) -> str:
    """The word for a data set that is not the paper's own; empty for one that is."""
    if replica:
        return "REPLICA"
    return "SUBSTITUTE" if "SUBSTITUTE" in catalog.dataset(dataset).note else ""


def unpublished_settings(spec: Spec) -> dict[str, str]:
    """The data sets of which the paper does not say how they are made, and what it leaves out."""
    notes = {part.name: catalog.dataset(part.name).unpublished for part in spec.datasets}
    return {name: note for name, note in notes.items() if note}
