"""An artefact with its spec: its runs, the verdicts on them, and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from dpfair_cli import paths
from dpfair_cli.contracts.errors import DpfairError, naming
from dpfair_cli.contracts.specs import PublishedPoint, Spec, Table
from dpfair_cli.contracts.training_context import Device
from dpfair_cli.reporting import check_page, tables
from dpfair_cli.reporting.chapter_pages import measured_text
from dpfair_cli.reporting.figures import differences
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.reproduction import notes
from dpfair_cli.reproduction.runs import ArtefactRuns, RunOptions
from dpfair_cli.running import pool, progress
from dpfair_cli.running.journal import Journal
from dpfair_cli.running.plan import EndedRun
from dpfair_cli.running.rows import DamagedJournalError
from dpfair_cli.running.runner import FailedRun
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts import decision
from dpfair_cli.verdicts.cells.published import published_points
from dpfair_cli.verdicts.deviations.deviation import Deviation, datasets_not_run
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule
from dpfair_cli.verdicts.references import Numbers, measured_references
from dpfair_cli.verdicts.verdicts import Verdicts

NOT_FILLED_IN = "not filled in: these runs are not complete"
Result = TypeVar("Result")


class Read(NamedTuple):
    """What was read of the journal of an artefact, for another process."""

    device: Device  # of the artefact's networks
    missing: Counter[str]  # the runs that the journal lacks, by the name of the data set
    table: pd.DataFrame  # of the finished runs
    rows: int  # in the journal
    judged: Verdicts | None  # None without finished runs


class Artefact:
    """A table or figure of a paper: what is planned, finished and judged, and its files."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.runs = ArtefactRuns(spec, options)
        self.folder = self.runs.folder
        self.was_read = False
        self.damage = ""  # what is wrong in the journal, found by `read_artefacts`

    @property
    def paper(self) -> Paper:
        """The published values, claims and deviations of the paper of this artefact.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        return self.options.paper(self.spec.paper)

    @property
    def not_run(self) -> dict[str, str]:
        """The artefact's data sets that deviations.yaml declares as not run, with the reasons."""
        return datasets_not_run(self.spec.name, self.paper.deviations)

    @property
    def missing_runs(self) -> int:
        """The number of the artefact's runs that its journal lacks.

        Data sets that deviations.yaml declares as not run do not count.
        """
        declared, missing = self.not_run, self.runs.missing
        return sum(number for dataset, number in missing.items() if dataset not in declared)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on the artefact's data below the table or figure, such as "REPLICA: ..."."""
        return notes.data_notes(self.spec, self.runs.standins, self.runs.device)

    def read(self) -> Read:
        """What commands that make no run need of the journal.

        Raises:
            DpfairError: the journal, a claim or a published cell is malformed.
        """
        # an empty table has no columns
        judged = self.judged if self.runs.number else None
        runs = self.runs
        return Read(runs.device, runs.missing, runs.table, runs.rows_found, judged)

    def adopt(self, read: Read) -> None:
        """Takes what another process has read of the journal, which is then not read again."""
        self.runs.device, self.runs.missing, self.runs.table, self.runs.rows_found = read[:-1]
        if read.judged:
            self.judged = read.judged
        self.was_read = True

    def leave_out(self) -> str:
        """Takes a damaged journal as one without rows; returns what is wrong in it."""
        self.runs.journal = Journal.blank(self.runs.journal_file)
        return self.damage

    def run(self, tick: Callable[[Sequence[EndedRun]], Any]) -> list[FailedRun]:
        """Makes the artefact's missing runs and sorts its journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        if self.options.collect or self.spec.is_reanalysis:
            return []
        failures = self.runs.make(tick)
        self.__dict__.pop("judged", None)  # there are more runs now
        return failures

    @cached_property
    def judged(self) -> Verdicts:
        """The published cells and claims of the artefact, each tested by itself.

        These are not the verdicts that anything shows: `verdicts` decides them by the rule of the
        whole paper.

        Raises:
            DpfairError: a claim or a published cell is malformed, or a method has two runs with one
                seed at one point.
        """
        # audits are slow, so their committed result is read
        evidence = notes.theorem_evidence(self.options.out, self.paper.claims_of(self.spec.name))
        standins = self.runs.standins
        rows = self.runs.rows()
        return decision.judge(rows, self.spec, self.paper, standins=standins, theorems=evidence)

    def verdicts(self, rule: PaperRule | None = None) -> Verdicts:
        """The verdicts on the artefact by a rule.

        Without one, it is the rule that was derived when the whole paper was last rendered, also if
        that was not in the folder of these results. Where
        the `measured` of a deviation of the artefact refers to a number of ours, the deviation has
        this number, or says that runs are missing.

        Raises:
            DpfairError: a claim, a deviation, a reference or a published cell is malformed.
        """
        rule = rule or read_rule(self._rule_file)
        # those of other artefacts would need their journals
        own = self.paper.deviations_of(self.spec.name)
        filled = [self._filled(one) if one.measured else one for one in own]
        paper = replace(self.paper, deviations=filled)
        return decision.by_rule(self.judged, paper, rule, notes.unpublished_settings(self.spec))

    @property
    def _rule_file(self) -> Path:
        """The file with the rule of the paper: in the folder of results, or else the usual one."""
        name = f"{self.spec.paper}/{FILE}"
        file = paths.results_file(self.options.out, name)
        usual = paths.results_file(paths.folder("results"), name)
        # quick runs are of another kind than those from which the usual rule was derived
        return file if file.exists() or self.options.quick else usual

    def _filled(self, deviation: Deviation) -> Deviation:
        """A deviation with the numbers to which its `measured` refers."""
        items, name = measured_references(deviation, self.spec.name), self.spec.name
        named = {reference.artefact for reference in chain.from_iterable(items)}
        sources = {name: self}  # without a second reading of the own journal
        for one in named - {name}:
            sources[one] = artefact_named(f"{self.spec.paper}/{one}", self.options.reading)
        if self.options.quick or any(sources[one].missing_runs for one in named):
            return replace(deviation, findings=NOT_FILLED_IN)
        numbers = {one: sources[one].numbers() for one in named}
        return replace(deviation, findings=measured_text(items, name, numbers))

    def numbers(self) -> Numbers:
        """The numbers of this artefact: our means and the published ones."""
        return Numbers(self.spec, self.runs.rows(), self.paper.cells_of(self.spec))

    def render(self) -> ReportedArtefact:
        """Writes the files of the artefact and its verdicts; at least one run must be finished.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a run has a score
                that no run can have.
        """
        verdicts, spec, folder = self.verdicts(), self.spec, self.folder
        data_notes, table = self.notes, self.table(verdicts)
        for impossible in verdicts.impossible_scores:  # before anything is written
            raise DpfairError(
                f"{spec.artefact}/runs.jsonl: {impossible}: restore the file, or delete the line "
                "of this run, and the run is made again"
            )
        with naming(folder):  # an error of the disk else names a temporary file
            spec.layout.write(self.runs.rows(), table, spec, folder, notes=data_notes)
            differences.write(verdicts, table.title, folder, notes=data_notes)
            check_page.write(verdicts, folder, page=self._page)
        return ReportedArtefact(verdicts, table)

    def table(self, verdicts: Verdicts) -> Table:
        """The table of the finished runs, with the published cells that a picture shows."""
        table = tables.make(
            self.runs.rows(),
            self.spec,
            verdicts.cells,
            notes=(*self.notes, *notes.privacy_remarks(self.spec)),
            statuses=notes.statuses(self.spec),
            authors=verdicts.authors,
        )
        return replace(table, published=self._published_points())

    def _published_points(self) -> tuple[PublishedPoint, ...]:
        """The published cells that this figure shows, including cells of other artefacts."""
        names = self.spec.layout.placement.artefacts
        # a figure may show cells that a table of the paper prints
        lenders = [load(f"{self.spec.paper}/{name}") for name in names]
        published = chain.from_iterable(map(self.paper.cells_of, (self.spec, *lenders)))
        return published_points(self.spec, lenders, [*published], standins=self.runs.standins)

    def write_pdf(self, table: Table) -> Path:
        """Writes the figure of the artefact, whose table is given, as figure.pdf; returns its path.

        Raises:
            DpfairError: the layout is one of another package, which draws no PDF file.
        """
        layout = self.spec.layout
        if not isinstance(layout, PictureLayout):
            raise DpfairError(f"{self.spec.artefact}: {type(layout).__name__} draws no PDF file")
        with naming(self.folder):
            picture = layout.make_picture(self.runs.rows(), table, self.spec, self.notes)
            return picture.write_pdf(self.folder / "figure.pdf")

    def has_page_of(self, verdicts: Verdicts) -> bool:
        """Whether the file check.md of the artefact exists and contains these verdicts."""
        file, text = self.folder / check_page.FILE, check_page.text(verdicts, page=self._page)
        return file.is_file() and file.read_bytes() == text.encode()

    @property
    def _page(self) -> str:
        """The name of the page about the paper that shows the artefact."""
        return check_page.page_of(paths.paper_folder(self.spec.paper), self.spec.name)


def table(name: str) -> pd.DataFrame:
    """The table of an artefact such as ding2020/table1: our values next to the published ones.

    The values are those of the finished runs. They are numbers, as in the file table.csv.

    Raises:
        DpfairError: there is no such artefact, or it has no finished run.
    """
    options = RunOptions(paths.data_folder(), paths.folder("results"), collect=True)
    found = artefact_named(name, options)
    if not (found.spec.is_reanalysis or found.runs.number):
        raise DpfairError(f"{name} has no finished run: make them by `dpfair table {name}`")
    return found.table(found.verdicts()).numbers


def artefact_named(name: str, options: RunOptions) -> Artefact:
    """The artefact with this name, such as xu2021/table8.1.

    Raises:
        DpfairError: there is no such artefact, its spec is malformed, or as `artefact_of`.
    """
    found: Artefact | None = options.artefacts.get(name)
    return found or artefact_of(load(name, quick=options.quick), options)


def artefact_of(spec: Spec, options: RunOptions) -> Artefact:
    """The artefact with a spec; if no run is made, its journal is read once, when first needed.

    Raises:
        DpfairError: runs are made, and the journal of the artefact is malformed.
    """
    if not options.collect:  # runs may have been made since the artefact was read
        return Artefact(spec, options)
    if spec.artefact not in options.artefacts:
        options.artefacts[spec.artefact] = Artefact(spec, options)
    found: Artefact = options.artefacts[spec.artefact]
    return found


def read_artefacts(artefacts: Sequence[Artefact]) -> None:
    """Reads the journals of artefacts, each once, and tests their published cells and claims.

    An artefact with a damaged journal gets its `damage`, and the next use of its runs is refused.

    Raises:
        DpfairError: a claim or a published cell is malformed.
    """
    unread = [one for one in artefacts if not one.was_read]
    found = map_artefacts(_read_or_damage, unread, "read")
    for artefact, read in zip(unread, found, strict=True):
        if isinstance(read, str):
            artefact.damage = read
        else:
            artefact.adopt(read)


def _read_or_damage(artefact: Artefact) -> Read | str:
    """What is read of an artefact's journal, or what is wrong in the journal."""
    try:
        return artefact.read()
    except DamagedJournalError as error:
        return str(error)


def map_artefacts(
    function: Callable[[Artefact], Result], artefacts: Sequence[Artefact], words: str
) -> list[Result]:
    """The results of a function for artefacts, in processes, under a progress bar with words."""
    jobs = artefacts[0].options.workers.jobs if artefacts else 1
    look = {"desc": words, "unit": "artefact", "delay": 2, "leave": False}
    with progress.bar(total=len(artefacts), **look) as bar:
        return pool.map_in_order(function, artefacts, jobs=jobs, tick=bar.update)
