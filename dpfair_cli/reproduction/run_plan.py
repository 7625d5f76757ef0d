"""The planned runs of an artefact: its data, its journal, and the runs that the journal lacks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.devices import Device
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.data_access.locating import Located
from dpfair_cli.paths import committed_journal
from dpfair_cli.reproduction.run_choices import RunChoices
from dpfair_cli.running import one_device, runner, sweeps
from dpfair_cli.running.batches import FailedRun
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.plan import PlannedRun, plan


class RunPlan:
    """The runs of a spec, with the data and the journal that decide which runs are missing."""

    def __init__(self, spec: Spec, choices: RunChoices) -> None:
        self.spec, self.choices = spec, choices
        self.folder = choices.out / spec.artefact
        self.located = {dataset: self._locate(dataset) for dataset in spec.datasets}
        if not choices.collect:  # a journal with a mistake is refused before a run is made
            self.planned  # noqa: B018 - reads the journal

    @cached_property
    def journal(self) -> Journal:
        """The journal of the artefact's earlier runs; with the option `fresh`, an empty journal.

        Without a journal, a full run begins with the rows that dpfair was installed with; the
        networks among them were trained by the processor.
        """
        file = self.journal_file
        if self.choices.fresh:
            return Journal.blank(file)
        has_own = self.choices.quick or not self.choices.device.is_processor
        return Journal(file, None if has_own else committed_journal(self.spec.artefact))

    @cached_property
    def device(self) -> Device:
        """The device of the artefact's networks: if no run is made, that of the finished runs.

        Raises:
            DpfairError: the journal has networks that were trained on another device.
        """
        find = one_device.device_to_show if self.choices.collect else one_device.device_to_make
        return find(self.spec, self.journal, self.choices.device)

    @cached_property
    def planned(self) -> list[PlannedRun]:
        """All runs of the artefact, and whether its journal contains them."""
        return plan(self.spec, self.journal, self.located, self.device)

    def _locate(self, dataset: DataSet) -> Located:
        """The data set with its files; the files may be missing if all runs are in the journal."""
        data_dir, replica_ok = self.choices.data_dir, self.choices.replica_ok
        if replica_ok and (self.choices.quick or locating.has_replica(dataset)):
            return locating.locate(dataset, data_dir=data_dir, replica_ok=True)
        return locating.declared(dataset, data_dir=data_dir)

    def require_data(self) -> None:
        """Raises an error if the data for the artefact's missing runs are not in the data folder.

        Raises:
            DpfairError: a data set is missing; the message says how to get the data set.
        """
        if self.choices.collect:
            return
        misses = [one.run.dataset for one in self.runnable() if one.reason]
        for dataset in {dataset.name: dataset for dataset in misses}.values():
            data_dir, replica_ok = self.choices.data_dir, self.choices.replica_ok
            locating.locate(dataset, data_dir=data_dir, replica_ok=replica_ok)

    def adopt_rows(self) -> None:
        """Copies rows that a sweep lacks from the journals of other sweeps in the same folder."""
        if sweeps.adopt_rows(self.journal, self.planned):
            del self.planned

    def make(self, tick: Callable[[int], Any]) -> list[FailedRun]:
        """Makes the missing runs and sorts the journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        fresh, known = self.choices.fresh, len(self.journal.rows)
        with self.journal.held():
            if fresh:
                self.journal.put_aside()
            if fresh or len(self.journal.rows) != known:
                del self.planned  # another process has made some of the runs
            workers = self.choices.workers
            failures = runner.execute(
                self.runnable(), self.located, self.journal, workers=workers, tick=tick
            )
            self.journal.rewrite(one.key for one in self.planned)
        return failures

    @property
    def missing_modules(self) -> dict[str, str]:
        """The Python module that a data set or method needs and that is not installed, by name."""
        needs = {dataset.name: dataset.source.needs for dataset in self.spec.datasets}
        needs |= {method.name: method.algorithm.needs for method in self.spec.methods}
        needed = {name: module for name, module in needs.items() if module}
        return {name: module for name, module in needed.items() if find_spec(module) is None}

    @property
    def journal_file(self) -> Path:
        """The path of the artefact's journal."""
        return self.folder / "runs.jsonl"

    def runnable(self) -> list[PlannedRun]:
        """The planned runs of this artefact that its journal has or that this machine can make."""
        missing = self.missing_modules.keys()

        def can_be_made(run: Run) -> bool:
            return missing.isdisjoint((run.dataset.name, run.method.name))

        return [one for one in self.planned if not one.reason or can_be_made(one.run)]
