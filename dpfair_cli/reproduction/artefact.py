"""An artefact with its spec, data and journal: plans, makes, renders and decides its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpfair_cli.contracts.declarations import StandIn
from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.errors import DpfairError, naming
from dpfair_cli.contracts.layouts import PublishedPoint, Table
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import Run, Setting, Spec
from dpfair_cli.data_access import locating
from dpfair_cli.data_access.locating import Located
from dpfair_cli.paths import committed_journal, paper_folder, results_file
from dpfair_cli.release import guarantee
from dpfair_cli.running import one_device, runner, sweeps
from dpfair_cli.running.batches import FailedRun
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.plan import PlannedRun, plan
from dpfair_cli.running.pool import Workers
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.deviations.deviation import datasets_not_run
from dpfair_cli.verdicts.paper import FILES as PAPER_FILES
from dpfair_cli.verdicts.paper import Paper, read_paper

if TYPE_CHECKING:
    import pandas as pd

    from dpfair_cli.reporting.judged_artefact import JudgedArtefact, ReportedArtefact
    from dpfair_cli.reporting.tables import RunStatus
    from dpfair_cli.verdicts.decision import Verdicts
    from dpfair_cli.verdicts.paper_rule import PaperRule
    from dpfair_cli.verdicts.references import Numbers
    from dpfair_cli.verdicts.tested import Tested


LEAK = (
    "BOUNDS FROM THE DATA: ranges and levels were read from the private data; no guarantee covers "
    "this"
)
AS_IT_IS = (
    "These results are not private: exact scores, known seeds, and the same unit noise at all "
    "epsilons of a seed"
)
PART = 2_000  # runs of a table that are dictionaries at one time: these take much memory
BY_VERDICT = "compare the verdicts with those of other devices, and not the digits"


@dataclass(frozen=True, eq=False)
class Shared:
    """What one command has read, so that it reads each paper and each artefact once."""

    papers: dict[tuple[bytes, ...], Paper] = field(default_factory=dict)
    """Papers by the content of their files."""

    named: dict[str, Paper] = field(default_factory=dict)
    """Papers by key, such as xu2021; only of a command that makes no run."""

    artefacts: dict[str, Artefact] = field(default_factory=dict)
    """Artefacts by name; only of a command that makes no run."""

    specs: dict[str, Spec] = field(default_factory=dict)
    """Specs by the name of the artefact."""


@dataclass(frozen=True)
class RunOptions:
    """Options of a command: the data folder, the runs to make, and the folder for results."""

    data_dir: Path
    """The folder with the data sets."""

    out: Path
    """The folder for the results."""

    workers: Workers = field(default_factory=Workers)
    """The processes that make the runs."""

    quick: bool = False
    """Whether to make few runs."""

    fresh: bool = False
    """Whether to make every run again."""

    collect: bool = False
    """Whether to make no run and to render the runs in the journal."""

    replicas: bool = False
    """Whether replicas stand in for missing data in full runs; in quick runs they always do."""

    device: Device = CPU
    """The device on which networks are trained."""

    shared: Shared = field(default_factory=Shared, compare=False, repr=False)
    """What the command has read."""

    def paper(self, name: str) -> Paper:
        """The published values, claims and deviations of a paper, such as xu2021.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        if self.collect and name in self.shared.named:
            return self.shared.named[name]
        place = paper_folder(name)
        files = [place / file for file in PAPER_FILES]
        content = (bytes(place), *(file.read_bytes() if file.exists() else b"" for file in files))
        if content not in self.shared.papers:
            self.shared.papers[content] = read_paper(place)
        self.shared.named[name] = self.shared.papers[content]
        return self.shared.named[name]

    def artefact(self, name: str) -> Artefact:
        """The artefact with this name, such as xu2021/table8.1.

        Raises:
            DpfairError: there is no such artefact, its spec is malformed, or as `artefact_of`.
        """
        if name in self.shared.artefacts:
            return self.shared.artefacts[name]
        return self.artefact_of(self.spec(name))

    def artefact_of(self, spec: Spec) -> Artefact:
        """The artefact with a spec; if no run is made, its journal is read when first needed.

        Raises:
            DpfairError: runs are made, and the journal of the artefact is malformed.
        """
        if not self.collect:  # runs may have been made since the artefact was read
            return Artefact(spec, self)
        if spec.artefact not in self.shared.artefacts:
            self.shared.artefacts[spec.artefact] = Artefact(spec, self)
        return self.shared.artefacts[spec.artefact]

    def spec(self, name: str) -> Spec:
        """The spec of the artefact with this name, such as xu2021/table8.1.

        Raises:
            DpfairError: there is no such artefact, or its spec is malformed.
        """
        if name not in self.shared.specs:
            self.shared.specs[name] = load(name, quick=self.quick)
        return self.shared.specs[name]

    @property
    def replica_ok(self) -> bool:
        """Whether a synthetic replica stands in for a data set that is not in the data folder."""
        return self.quick or self.replicas

    @property
    def reading(self) -> RunOptions:
        """The options for reading the finished runs of an artefact, made on whichever device."""
        shared = self.shared if self.collect else Shared(self.shared.papers)  # runs may be made
        return replace(self, collect=True, device=CPU, shared=shared)


@dataclass(frozen=True)
class Progress:
    """The numbers of finished and of missing runs of an artefact."""

    finished: int
    """The number of runs that the journal has."""

    missing: Mapping[str, int]
    """The number of runs that the journal lacks, by the name of the data set."""


@dataclass(frozen=True, eq=False)
class Read:
    """What was read of the journal of an artefact."""

    device: Device
    """The device of the artefact's networks."""

    progress: Progress
    """The numbers of finished and of missing runs."""

    tested: Tested | None
    """The tested cells and claims with the finished runs; None without any."""


class Artefact:
    """A table or figure of a paper: its spec with its data and its journal."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.folder = options.out / spec.artefact
        self.located = {dataset: self._locate(dataset) for dataset in spec.datasets}
        self._rows: pd.DataFrame | None = None  # as long as no run is made
        self._tested: dict[Paper, Tested] = {}  # as long as no run is made
        if not options.collect:  # a journal with a mistake is refused before a run is made
            self.planned = self._plan()

    @cached_property
    def journal(self) -> Journal:
        """The journal of the artefact's earlier runs; with the option `fresh`, an empty journal.

        Without a journal, a full run begins with the rows that dpfair was installed with; the
        networks among them were trained by the processor.
        """
        file = self.journal_file
        if self.options.fresh:
            return Journal.blank(file)
        has_own = self.options.quick or not self.options.device.is_processor
        return Journal(file, None if has_own else committed_journal(self.spec.artefact))

    @cached_property
    def device(self) -> Device:
        """The device of the artefact's networks: if no run is made, that of the finished runs.

        Raises:
            DpfairError: the journal has networks that were trained on another device.
        """
        find = one_device.device_to_show if self.options.collect else one_device.device_to_make
        return find(self.spec, self.journal, self.options.device)

    @cached_property
    def planned(self) -> list[PlannedRun]:
        """All runs of the artefact, and whether its journal contains them."""
        return self._plan()

    def _plan(self) -> list[PlannedRun]:
        return plan(self.spec, self.journal, self.located, self.device)

    def _locate(self, dataset: DataSet) -> Located:
        """The data set with its files; the files may be missing if all runs are in the journal."""
        data_dir, replica_ok = self.options.data_dir, self.options.replica_ok
        if replica_ok and (self.options.quick or locating.has_replica(dataset)):
            return locating.locate(dataset, data_dir=data_dir, replica_ok=True)
        return locating.declared(dataset, data_dir=data_dir)

    def require_data(self) -> None:
        """Raises an error if the data for the artefact's missing runs are not in the data folder.

        Raises:
            DpfairError: a data set is missing; the message says how to get the data set.
        """
        if self.options.collect:
            return
        misses = [one.run.dataset for one in self._runnable() if one.reason]
        for dataset in {dataset.name: dataset for dataset in misses}.values():
            data_dir, replica_ok = self.options.data_dir, self.options.replica_ok
            locating.locate(dataset, data_dir=data_dir, replica_ok=replica_ok)

    def adopt_rows(self) -> None:
        """Copies rows that a sweep lacks from the journals of other sweeps in the same folder."""
        if sweeps.adopt_rows(self.journal, self.planned):
            self._forget()
            self.planned = self._plan()

    @property
    def runs_to_make(self) -> int:
        """The number of runs that the artefact's journal lacks and that this machine can make."""
        return len(self._runnable()) - self.finished_runs

    @property
    def not_run(self) -> dict[str, str]:
        """The artefact's data sets that deviations.yaml declares as not run, with the reasons."""
        return datasets_not_run(self.spec.name, self.paper().deviations)

    @property
    def missing_runs(self) -> int:
        """The number of the artefact's runs that its journal lacks.

        Data sets that deviations.yaml declares as not run do not count.
        """
        declared, missing = self.not_run, self.progress.missing
        return sum(number for dataset, number in missing.items() if dataset not in declared)

    @property
    def missing_modules(self) -> dict[str, str]:
        """The Python module that a data set or method needs and that is not installed, by name."""
        return missing_modules(self.spec)

    @property
    def finished_runs(self) -> int:
        """The number of the artefact's runs that are in its journal."""
        return self.progress.finished

    @cached_property
    def progress(self) -> Progress:
        """The numbers of finished and of missing runs, as long as no run is made."""
        rows = self.journal.rows
        finished = sum(not one.reason or one.key in rows for one in self.planned)
        return Progress(
            finished, Counter(one.run.dataset.name for one in self.planned if one.reason)
        )

    @property
    def journal_file(self) -> Path:
        """The path of the artefact's journal."""
        return self.folder / "runs.jsonl"

    def read(self) -> Read:
        """What commands that make no run need of the journal, for another process.

        Raises:
            DpfairError: the journal, a claim or a published cell is malformed.
        """
        tested = self.tested(self.paper()) if self.finished_runs else None
        return Read(self.device, self.progress, tested)

    def adopt(self, read: Read) -> None:
        """Takes what another process has read of the journal, which is then not read again."""
        self.device, self.progress = read.device, read.progress
        if read.tested:
            self._rows, self._tested[self.paper()] = read.tested.rows, read.tested

    def run(self, tick: Callable[[int], Any]) -> list[FailedRun]:
        """Makes the artefact's missing runs and sorts its journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        if self.options.collect:
            return []
        known = len(self.journal.rows)
        with self.journal.held():
            self._forget()
            if self.options.fresh:
                self.journal.put_aside()
            if self.options.fresh or len(self.journal.rows) != known:
                self.planned = self._plan()  # another process has made some of the runs
            workers = self.options.workers
            failures = runner.execute(
                self._runnable(), self.located, self.journal, workers=workers, tick=tick
            )
            self.journal.rewrite(one.key for one in self.planned)
        return failures

    def _forget(self) -> None:
        """Forgets what was made of the finished runs, because others will be made."""
        self._rows = None
        self._tested = {}
        self.__dict__.pop("progress", None)

    def rows(self) -> pd.DataFrame:
        """A table with a line per finished run of the artefact, or per point of its curves."""
        if self._rows is None:
            self._rows = self._read_rows()
        return self._rows.copy(deep=False)  # a column that is added to it is not added here

    def _read_rows(self) -> pd.DataFrame:
        import pandas as pd

        from dpfair_cli.reproduction.run_table import run_table

        rows = ((one.run, self.journal.rows.get(one.key)) for one in self.planned)
        found = ((run, row) for run, row in rows if row)
        parts = [run_table(part, self.spec) for part in iter(lambda: [*islice(found, PART)], [])]
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()

    def notes(self) -> tuple[str, ...]:
        """The notes on the artefact's data below the table or figure, such as "REPLICA: ..."."""
        names = {dataset.name: dataset for dataset in self.spec.datasets}
        notes = [_describe_standin(names[name], word) for name, word in self.standins().items()]
        if self._bounds_from_data:
            notes.append(LEAK)
        if self._of_private_data:
            notes.append(AS_IT_IS)
        if not self.device.is_processor:
            notes.append(f"Networks were trained on the device {self.device.name}: {BY_VERDICT}")
        return tuple(notes)

    def remarks(self) -> tuple[str, ...]:
        """The remarks below a table of private data: the domain file, the total privacy loss."""
        remarks = []
        if any(dataset.options.get("domain") for dataset in self.spec.datasets):
            remarks.append(f"{OUTSIDE_RULE[0].upper()}{OUTSIDE_RULE[1:]}.")
        if self._of_private_data:
            remarks.append(self._price())
        return tuple(remarks)

    def _price(self) -> str:
        """A sentence with the total privacy loss if all fits of the artefact were published."""
        fits = [(run.method.algorithm.guarantee, run.method.params) for run in self.spec.runs()]
        cost = guarantee.price(fits * self.spec.task.fits_per_run)
        return f"Total privacy loss if all fits were published, each with secret noise: {cost}"

    def standins(self) -> dict[str, StandIn]:
        """The data sets that are not those of the paper, by name, with the kind of replacement."""
        return standins({dataset: one.replica for dataset, one in self.located.items()})

    def statuses(self) -> list[RunStatus]:
        """The privacy status of every setting of every method of the artefact.

        The status is void if bounds are read from the data, or if scores of private data are
        published without noise.
        """
        broken = guarantee.broken_by_bounds("data" if self._bounds_from_data else "public")
        broken += [guarantee.UNPAID_SCORES] if self._of_private_data else []
        return [_status_of(run, self.spec, broken) for run in self.spec.settings()]

    def paper(self) -> Paper:
        """The published values, claims and deviations of the paper of this artefact.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        return self.options.paper(self.spec.paper)

    def render(self) -> ReportedArtefact:
        """Writes the files of the artefact and its verdicts; at least one run must be finished.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a run has a score
                that no run can have.
        """
        from dpfair_cli.reporting import check_page
        from dpfair_cli.reporting.figures import artefact_differences

        rows = self.rows()
        entry = self._judged(rows, self.rule())
        table, verdicts, notes = entry.table, entry.verdicts, self.notes()
        for impossible in verdicts.impossible_scores:
            raise DpfairError(
                f"{self.spec.artefact}/runs.jsonl: {impossible}: restore the file, or delete the "
                "line of this run, and the run is made again"
            )
        with naming(self.folder):
            self.spec.layout.write(rows, table, self.spec, self.folder, notes=notes)
            artefact_differences.write(verdicts, self.spec, table, self.folder, notes=notes)
            check_page.write(verdicts, self.spec, self.folder, page=self._page())
        return entry

    def write_pdf(self, table: Table) -> Path:
        """Writes the figure of the artefact, whose table is given, as figure.pdf; returns its path.

        Raises:
            DpfairError: the layout is one of another package, which draws no PDF file.
        """
        from dpfair_cli.reporting.figures.picture_layout import PictureLayout

        layout = self.spec.layout
        if not isinstance(layout, PictureLayout):
            raise DpfairError(f"{self.spec.artefact}: {type(layout).__name__} draws no PDF file")
        with naming(self.folder):
            return layout.write_pdf(self.rows(), table, self.spec, self.folder, notes=self.notes())

    def judge(self, rule: PaperRule) -> JudgedArtefact:
        """The artefact with its verdicts by a rule; no file is written.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a method has two
                runs with one seed at one point.
        """
        from dpfair_cli.reporting.judged_artefact import JudgedArtefact
        from dpfair_cli.verdicts.means import with_axis_columns

        rows = self.rows()
        with_axis_columns(rows, self.spec)  # which refuses two runs at one point
        return JudgedArtefact(self.spec, self.decide_with_findings(self.paper(), rule))

    def rule(self) -> PaperRule:
        """The rule of the paper that was derived when the whole paper was last rendered."""
        from dpfair_cli.verdicts.paper_rule import FILE, read_rule

        return read_rule(results_file(self.options.out, f"{self.spec.paper}/{FILE}"))

    def has_page_of(self, verdicts: Verdicts) -> bool:
        """Whether the file check.md of the artefact exists and contains these verdicts."""
        from dpfair_cli.reporting import check_page

        file = self.folder / check_page.FILE
        text = check_page.text(verdicts, self.spec, page=self._page())
        return file.is_file() and file.read_bytes() == text.encode()

    def _page(self) -> str:
        """The name of the page about the paper that shows the artefact."""
        from dpfair_cli.reporting import check_page

        return check_page.page_of(paper_folder(self.spec.paper), self.spec.name)

    def _judged(self, rows: pd.DataFrame, rule: PaperRule) -> ReportedArtefact:
        """The artefact with the table of `rows` and its verdicts by a rule."""
        from dpfair_cli.reporting import tables
        from dpfair_cli.reporting.judged_artefact import ReportedArtefact

        paper = self.paper()
        verdicts = self.decide_with_findings(paper, rule)
        notes = (*self.notes(), *self.remarks())
        table = tables.make(
            rows,
            self.spec,
            verdicts.cells,
            notes=notes,
            statuses=self.statuses(),
            authors=verdicts.authors,
        )
        table = replace(table, published=self._published_points(paper))
        return ReportedArtefact(self.spec, verdicts, table)

    def decide_with_findings(self, paper: Paper, rule: PaperRule) -> Verdicts:
        """The verdicts on this artefact; the numbers that its deviations refer to are filled in.

        Raises:
            DpfairError: a claim, a deviation, a reference or a published cell is malformed.
        """
        from dpfair_cli.reproduction.measured import fill_in
        from dpfair_cli.verdicts.decision import decide

        filled = fill_in(paper, self.spec.name, partial(self._numbers, paper))
        return decide(self.tested(paper), filled, rule, unpublished_settings(self.spec))

    def decide(self, paper: Paper, rule: PaperRule) -> Verdicts:
        """The verdicts on the published cells and claims of this artefact by a rule.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed.
        """
        from dpfair_cli.verdicts.decision import decide

        return decide(self.tested(paper), paper, rule, unpublished_settings(self.spec))

    def tested(self, paper: Paper) -> Tested:
        """The published cells and claims of this artefact, tested once on its finished runs.

        Raises:
            DpfairError: a claim or a published cell is malformed.
        """
        from dpfair_cli.reproduction.theorem_evidence import theorem_evidence
        from dpfair_cli.verdicts.tested import tested

        if paper not in self._tested:
            theorems = theorem_evidence(self.options.out, paper.claims_of(self.spec.name))
            self._tested[paper] = tested(
                self.rows(), self.spec, paper, standins=self.standins(), theorems=theorems
            )
        return self._tested[paper]

    def _numbers(self, paper: Paper, name: str) -> Numbers:
        """The numbers of the artefact `name` of the same paper.

        Raises:
            NotCompleteError: the runs are quick, or some runs are missing.
        """
        from dpfair_cli.reproduction.measured import NotCompleteError
        from dpfair_cli.verdicts.references import Numbers

        is_own = name == self.spec.name
        options = self.options.reading
        found = self if is_own else options.artefact(f"{self.spec.paper}/{name}")
        if self.options.quick or found.missing_runs:
            raise NotCompleteError(
                f"the artefact {name} is not complete: some of its runs are missing"
            )
        return Numbers(found.spec, found.rows(), paper.cells_of(found.spec))

    def _published_points(self, paper: Paper) -> tuple[PublishedPoint, ...]:
        """The published cells that this figure shows, including cells of other artefacts."""
        from dpfair_cli.verdicts.cells.published_points import published_points

        names = self.spec.layout.placement.artefacts
        lenders = [load(f"{self.spec.paper}/{name}") for name in names]
        published = chain.from_iterable(map(paper.cells_of, (self.spec, *lenders)))
        return published_points(self.spec, lenders, [*published], standins=self.standins())

    @property
    def _bounds_from_data(self) -> bool:
        """Whether the ranges or levels of a data set of this artefact are read from the data."""
        return any(dataset.reads_bounds for dataset in self.spec.datasets)

    @property
    def _of_private_data(self) -> bool:
        """Whether a data set of this artefact is a user's own file, which may be private."""
        return any(dataset.source.public_files for dataset in self.spec.datasets)

    def _runnable(self) -> list[PlannedRun]:
        """The planned runs of this artefact that its journal has or that this machine can make."""
        missing = self.missing_modules.keys()

        def can_be_made(run: Run) -> bool:
            return missing.isdisjoint((run.dataset.name, run.method.name))

        return [one for one in self.planned if not one.reason or can_be_made(one.run)]


def missing_modules(spec: Spec) -> dict[str, str]:
    """The Python module that a data set or method needs and that is not installed, by name."""
    needs = {dataset.name: dataset.source.needs for dataset in spec.datasets}
    needs |= {method.name: method.algorithm.needs for method in spec.methods}
    needed = {name: module for name, module in needs.items() if module}
    return {name: module for name, module in needed.items() if find_spec(module) is None}


def standins(replicas: Mapping[DataSet, bool]) -> dict[str, StandIn]:
    """The artefact's data sets that are not those of the paper, with the kind of replacement.

    `replicas` says for each data set whether its replica was used.
    """
    found = {}
    for dataset, replica in replicas.items():
        if replica:
            found[dataset.name] = StandIn.REPLICA
        elif dataset.source.is_substitute:
            found[dataset.name] = StandIn.SUBSTITUTE
    return found


def _describe_standin(dataset: DataSet, word: StandIn) -> str:
    """A note that describes the replacement of a paper's data set; begins with `word`."""
    source = dataset.source
    if word is StandIn.REPLICA and source.replica:
        return f"{word}: {source.name} is {source.replica.note}; compare it with nothing"
    return f"{word}: {source.name} stands {source.note.removeprefix(word).strip()}"


def unpublished_settings(spec: Spec) -> dict[str, str]:
    """The data sets whose construction the paper does not fully describe, with the missing part."""
    notes = {dataset.name: dataset.source.unpublished for dataset in spec.datasets}
    return {name: note for name, note in notes.items() if note}


def _status_of(run: Setting, spec: Spec, broken: Sequence[str]) -> RunStatus:
    """The privacy status of a run whose guarantee has the `broken` conditions."""
    from dpfair_cli.reporting.tables import RunStatus

    params = run.method.params
    given = {**run.dataset.options, **params}
    axes = [axis for axis in spec.layout.axes if axis != spec.curve]
    values = {axis: given[axis] for axis in axes if given.get(axis) is not None}
    status = run.method.algorithm.guarantee.label(params, broken)
    return RunStatus(status, run.label, run.dataset.name, values)
