"""An artefact with its spec: its runs, the verdicts on them, and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from dpfair_cli.contracts.errors import DpfairError, naming
from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.contracts.training_context import Device
from dpfair_cli.paths import paper_folder
from dpfair_cli.reporting import check_page
from dpfair_cli.reporting.figures import differences
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.shown import ReportedArtefact
from dpfair_cli.reproduction.judgement import Judgement
from dpfair_cli.reproduction.runs import ArtefactRuns, RunOptions
from dpfair_cli.running import pool, progress
from dpfair_cli.running.runner import FailedRun
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.decision import Tested, Verdicts

Result = TypeVar("Result")


class Read(NamedTuple):
    """What was read of the journal of an artefact, for another process.

    Attributes:
        device: the device of the artefact's networks.
        missing: the number of runs that the journal lacks, by the name of the data set.
        tested: the tested cells and claims with the finished runs; None without any.
    """

    device: Device
    missing: Counter[str]
    tested: Tested | None


class Artefact:
    """A table or figure of a paper: what is planned, finished and judged, and its files."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.runs = ArtefactRuns(spec, options)
        self.folder = self.runs.folder
        self.judgement = Judgement(self.runs, self._another)

    def _another(self, name: str) -> Judgement:
        """The judgement on another artefact of the same paper."""
        return artefact_named(f"{self.spec.paper}/{name}", self.options.reading).judgement

    def read(self) -> Read:
        """What commands that make no run need of the journal.

        Raises:
            DpfairError: the journal, a claim or a published cell is malformed.
        """
        # an empty table has no columns
        tested = self.judgement.tested if self.runs.number else None
        return Read(self.runs.device, self.runs.missing, tested)

    def adopt(self, read: Read) -> None:
        """Takes what another process has read of the journal, which is then not read again."""
        self.runs.device, self.runs.missing = read.device, read.missing
        if read.tested:
            self.runs.table = read.tested.rows  # so that the table is made once and sent once
            self.judgement.tested = read.tested

    def run(self, tick: Callable[[int], Any]) -> list[FailedRun]:
        """Makes the artefact's missing runs and sorts its journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        if self.options.collect or self.spec.is_reanalysis:
            return []
        failures = self.runs.make(tick)
        self.judgement = Judgement(self.runs, self._another)
        return failures

    def render(self) -> ReportedArtefact:
        """Writes the files of the artefact and its verdicts; at least one run must be finished.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a run has a score
                that no run can have.
        """
        notes, entry = self.judgement.notes(), self.judgement.report()
        for impossible in entry.verdicts.impossible_scores:  # before anything is written
            raise DpfairError(
                f"{self.spec.artefact}/runs.jsonl: {impossible}: restore the file, or delete the "
                "line of this run, and the run is made again"
            )
        spec, table, folder = self.spec, entry.table, self.folder
        with naming(folder):
            spec.layout.write(self.runs.rows(), table, spec, folder, notes=notes)
            differences.write(entry.verdicts, spec, table, folder, notes=notes)
            check_page.write(entry.verdicts, spec, folder, page=self._page())
        return entry

    def write_pdf(self, table: Table) -> Path:
        """Writes the figure of the artefact, whose table is given, as figure.pdf; returns its path.

        Raises:
            DpfairError: the layout is one of another package, which draws no PDF file.
        """
        layout = self.spec.layout
        if not isinstance(layout, PictureLayout):
            raise DpfairError(f"{self.spec.artefact}: {type(layout).__name__} draws no PDF file")
        with naming(self.folder):
            rows, notes = self.runs.rows(), self.judgement.notes()
            picture = layout.make_picture(rows, table, self.spec, notes)
            return picture.write_pdf(self.folder / "figure.pdf")

    def has_page_of(self, verdicts: Verdicts) -> bool:
        """Whether the file check.md of the artefact exists and contains these verdicts."""
        file = self.folder / check_page.FILE
        text = check_page.text(verdicts, self.spec, page=self._page())
        return file.is_file() and file.read_bytes() == text.encode()

    def _page(self) -> str:
        """The name of the page about the paper that shows the artefact."""
        return check_page.page_of(paper_folder(self.spec.paper), self.spec.name)


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
    """Reads the journals of artefacts, and tests their published cells and claims.

    Raises:
        DpfairError: a journal, a claim or a published cell is malformed.
    """
    found = map_artefacts(Artefact.read, artefacts, "read")
    for artefact, read in zip(artefacts, found, strict=True):
        artefact.adopt(read)


def map_artefacts(
    function: Callable[[Artefact], Result], artefacts: Sequence[Artefact], words: str
) -> list[Result]:
    """The results of a function for artefacts, in processes, under a progress bar with words."""
    jobs = artefacts[0].options.workers.jobs if artefacts else 1
    look = {"desc": words, "unit": "artefact", "delay": 2, "leave": False}
    with progress.bar(total=len(artefacts), **look) as bar:
        return pool.map_in_order(function, artefacts, jobs=jobs, tick=bar.update)
