"""The runs of an artefact: what its spec needs, what its journal has, and the table of both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli import data_access
from dpfair_cli.contracts.declarations import DataSet, StandIn
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Run, Spec
from dpfair_cli.contracts.training_context import CPU, Device
from dpfair_cli.data_access import Located
from dpfair_cli.paths import committed_journal, paper_folder
from dpfair_cli.running import runner
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.plan import EndedRun, PlannedRun, device_of_networks, plan
from dpfair_cli.running.pool import Workers
from dpfair_cli.running.rows import Key, Row, SettingFields
from dpfair_cli.running.runner import FailedRun, row_of
from dpfair_cli.verdicts.paper import Paper, read_paper

PART = 2_000  # runs of a table that are dictionaries at one time: these take much memory


@dataclass(frozen=True)
class RunOptions:
    """What a command was told about runs, with the papers and artefacts that it has read.

    Attributes:
        data_dir: the folder with the data sets.
        out: the folder for the results.
        workers: the processes that make the runs.
        quick: whether to make few runs.
        fresh: whether to make every run again.
        collect: whether to make no run and to render the runs in the journal.
        replicas: whether replicas stand in for missing data in full runs; in quick runs they always
            do.
        device: the device on which networks are trained.
        papers: papers by key, such as xu2021; a command reads each of their files once.
        artefacts: each `Artefact` by name; only of a command that makes no run.
    """

    data_dir: Path
    out: Path
    workers: Workers = field(default_factory=Workers)
    quick: bool = False
    fresh: bool = False
    collect: bool = False
    replicas: bool = False
    device: Device = CPU
    papers: dict[str, Paper] = field(default_factory=dict, compare=False, repr=False)
    artefacts: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def replica_ok(self) -> bool:
        """Whether a synthetic replica stands in for a data set that is not in the data folder."""
        return self.quick or self.replicas

    @property
    def reading(self) -> RunOptions:
        """The options for reading the finished runs of an artefact, made on whichever device."""
        artefacts = self.artefacts if self.collect else {}  # runs may be made
        return replace(self, collect=True, fresh=False, device=CPU, artefacts=artefacts)

    def paper(self, name: str) -> Paper:
        """The published values, claims and deviations of a paper, such as xu2021.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        if name not in self.papers:
            self.papers[name] = read_paper(paper_folder(name))
        return self.papers[name]


class ArtefactRuns:
    """The runs of a spec, with the data and the journal that decide which runs are missing."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.folder = options.out / spec.artefact
        self.journal_file = self.folder / "runs.jsonl"
        datasets = () if spec.is_reanalysis else spec.datasets
        self.located = {dataset: self._locate(dataset) for dataset in datasets}
        if not options.collect:  # a journal with a mistake is refused before a run is made
            self.planned  # noqa: B018 - reads the journal

    @cached_property
    def journal(self) -> Journal:
        """The journal of the artefact's earlier runs; with the option `fresh`, an empty journal.

        Without a journal, a full run begins with the rows that dpfair was installed with; the
        networks among them were trained by the processor.
        """
        if self.options.fresh:
            return Journal.blank(self.journal_file)
        # the committed rows are of full runs on the processor
        has_own = self.options.quick or not self.options.device.is_processor
        start = None if has_own else committed_journal(self.spec.artefact)
        return Journal(self.journal_file, start)

    @cached_property
    def device(self) -> Device:
        """The device of the artefact's networks: if no run is made, that of the finished runs.

        Raises:
            DpfairError: the journal has networks that were trained on another device.
        """
        wanted, is_shown = self.options.device, self.options.collect
        return device_of_networks(self.spec, self.journal, wanted, is_shown=is_shown)

    @property
    def standins(self) -> dict[str, StandIn]:
        """The data sets that are not those of the paper, by name, with the kind of replacement."""
        return standins({dataset: one.replica for dataset, one in self.located.items()})

    @cached_property
    def planned(self) -> list[PlannedRun]:
        """All runs of the artefact, and whether its journal contains them.

        A re-analysis has no journal, and lacks nothing.
        """
        if self.spec.is_reanalysis:
            return [PlannedRun(run, SettingFields({}), "") for run in self.spec.runs()]
        return plan(self.spec, self.journal, self.located, self.device)

    @cached_property
    def missing(self) -> Counter[str]:
        """The number of runs that the journal lacks, by the name of the data set."""
        return Counter(one.run.dataset.name for one in self.planned if one.reason)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A table with a line per finished run, or per point of its curves."""
        if self.spec.is_reanalysis:
            return compared(self.spec, paper_folder(self.spec.paper))
        # in the order of the spec, which is that of tables
        rows = ((one.run, self.journal.rows.get(one.key)) for one in self.planned)
        found = ((run, row) for run, row in rows if row)
        portions = iter(lambda: list(islice(found, PART)), [])
        parts = [run_table(portion, self.spec) for portion in portions]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    @cached_property
    def rows_found(self) -> int:
        """The number of rows in the journal; two methods of a table may share a row."""
        return len(self.journal.rows)

    def rows(self) -> pd.DataFrame:
        """The table; a column that is added to the result is not added to the table."""
        return self.table.copy(deep=False)

    @property
    def number(self) -> int:
        """The number of planned runs that are in the journal."""
        # from the spec, so that a journal that another process has read is not read again
        planned = sum(self.spec.seeds_of(run.method) for run in self.spec.first_runs())
        return planned - self.missing.total()

    @property
    def runs_to_make(self) -> int:
        """The number of runs that the journal lacks and that this machine can make."""
        return len(self.runnable()) - self.number

    @property
    def missing_modules(self) -> dict[str, str]:
        """The Python module that a data set or method needs and that is not installed, by name."""
        needs = {dataset.name: dataset.source.needs for dataset in self.spec.datasets}
        needs |= {method.name: method.algorithm.needs for method in self.spec.methods}
        needed = {name: module for name, module in needs.items() if module}
        return {name: module for name, module in needed.items() if find_spec(module) is None}

    def runnable(self) -> list[PlannedRun]:
        """The planned runs of this artefact that its journal has or that this machine can make."""
        missing = self.missing_modules.keys()  # a machine without torch makes all other runs
        return [
            one
            for one in self.planned
            if not one.reason or missing.isdisjoint((one.run.dataset.name, one.run.method.name))
        ]

    def require_data(self) -> None:
        """Raises an error if the data for the artefact's missing runs are not in the data folder.

        Raises:
            DpfairError: a data set is missing; the message says how to get the data set.
        """
        if self.options.collect:
            return
        misses = [one.run.dataset for one in self.runnable() if one.reason]
        for dataset in {dataset.name: dataset for dataset in misses}.values():
            self._located_file(dataset)

    def adopt_rows(self) -> None:
        """Copies rows that a sweep lacks from the journals of other sweeps in the same folder.

        A journal that cannot be read is skipped.
        """
        missing = [one.key for one in self.planned if one.reason]
        # another sweep may be damaged or half written, which must not stop this one
        known: dict[Key, Row] = {}
        for file in sorted(self.folder.parent.glob("*/runs.jsonl")) if missing else ():
            with suppress(DpfairError):
                known |= Journal(file).rows  # equal keys are equal runs, whichever sweep made them
        if not known.keys().isdisjoint(missing):
            with self.journal.held():
                # read again: another process may have made them
                lacking = [key for key in missing if key not in self.journal.rows]
                self.journal.append(known[key] for key in lacking if key in known)
            self._forget()

    def make(self, tick: Callable[[Sequence[EndedRun]], Any]) -> list[FailedRun]:
        """Makes the missing runs and sorts the journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        with self.journal.held():
            if self.options.fresh:
                self.journal.put_aside()  # now, and not before: a refused command keeps the journal
            self._forget()  # another process may have made some of the runs
            failures = runner.execute(
                self.runnable(),
                self.located,
                self.journal,
                workers=self.options.workers,
                tick=tick,
            )
            # the same rows give the same bytes, in whichever order they came
            self.journal.rewrite(one.key for one in self.planned)
        self._forget()
        return failures

    def _forget(self) -> None:
        """Forgets what was derived from the rows of the journal, because it has other ones now."""
        for name in ("planned", "missing", "table", "rows_found"):
            self.__dict__.pop(name, None)

    def _locate(self, dataset: DataSet) -> Located:
        """The data set with its files; the files may be missing if all runs are in the journal."""
        has_replica = self.options.quick or data_access.replica_path(dataset.source).is_file()
        if self.options.replica_ok and has_replica:
            return self._located_file(dataset)
        # without a look at the files: a journal may have all runs
        return data_access.declared(dataset, data_dir=self.options.data_dir)

    def _located_file(self, dataset: DataSet) -> Located:
        """The data set with its files, or with its replica if this may stand in for them.

        Raises:
            DpfairError: the files are missing.
        """
        options = self.options
        return data_access.locate(dataset, data_dir=options.data_dir, replica_ok=options.replica_ok)


def standins(replicas: Mapping[DataSet, bool]) -> dict[str, StandIn]:
    """The artefact's data sets that are not those of the paper, with the kind of replacement.

    `replicas` says for each data set whether its replica was used.
    """
    found = {}
    for dataset, replica in replicas.items():
        if replica:
            found[dataset.name] = StandIn.REPLICA
        elif dataset.source.is_substitute:  # a replica of a substitute is a replica
            found[dataset.name] = StandIn.SUBSTITUTE
    return found


def run_table(finished: Sequence[tuple[Run, Row]], spec: Spec) -> pd.DataFrame:
    """A table with a line per run, or with a line per point of the curves that a spec shows.

    `finished` are runs with their rows of a journal.
    """
    renamed = spec.task.study.renamed  # a journal keeps the names that it was written with
    finished = [(run, row.under_present_names(renamed)) for run, row in finished]
    runs = pd.DataFrame([_line(run, row) for run, row in finished])
    _share_texts(runs)
    if not spec.curve:  # the layout does not show the axis of the curves
        return runs
    curves = [row.get("curves", {}) for _, row in finished]
    # a run's parameters are repeated at each point
    whole = runs.loc[runs.index.repeat([_points(one) for one in curves])]
    names = dict.fromkeys(chain.from_iterable(curves))
    return whole.assign(**{name: [*_values(name, curves)] for name in names})


def compared(spec: Spec, folder: Path) -> pd.DataFrame:
    """The table of a re-analysis of the printed values of the work in `folder`.

    The numbers are rounded as those of runs are, and so the files of both have equal digits.
    """
    from dpfair_cli import reanalysis  # here, because few specs need it

    nothing = SettingFields({})  # of a row that stands in no journal
    outcomes = ((run, reanalysis.compare(run, folder)) for run in spec.runs())
    return run_table([(run, row_of(run, nothing, outcome)) for run, outcome in outcomes], spec)


def _line(run: Run, row: Row) -> dict[str, Any]:
    """The line of a run: its names, its seed, all parameters, scores and outputs."""
    names = {"dataset": run.dataset.name, "method": run.label, "algorithm": run.method.name}
    parameters = {**run.dataset.options, **run.method.params}
    results = {**row["scores"], **row.get("outputs", {})}
    return {**names, "seed": run.seed, **parameters, **results}


def _share_texts(table: pd.DataFrame) -> None:
    """Replaces texts of Arrow, which are slow here, by texts of Python, each made once."""
    for name, kind in table.dtypes.items():
        if isinstance(kind, pd.StringDtype):
            places, texts = pd.factorize(table[name])  # -1 stands for no text
            every = np.array([*texts, np.nan], dtype=object)
            table[name] = pd.Series(every[places], dtype=object)


def _points(curves: Mapping[str, Sequence[Any]]) -> int:
    """The number of points of the curves of a run.

    Raises:
        ValueError: the curves have different numbers of points.
    """
    lengths = {len(curve) for curve in curves.values()}
    if len(lengths) > 1:
        raise ValueError(f"curves of one run have {lengths} points")
    return max(lengths, default=0)


def _values(name: str, curves: Sequence[Mapping[str, Sequence[Any]]]) -> Iterator[Any]:
    """Yields the value of a curve at each point of each run; None where a run lacks the curve."""
    for one in curves:
        yield from one.get(name, [None] * _points(one))
