"""An artefact with its spec: the plan, the finished runs and the verdicts, and its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.devices import CPU, Device
from dpfair_cli.contracts.errors import DpfairError, naming
from dpfair_cli.contracts.layouts import Table
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.paths import paper_folder
from dpfair_cli.reporting import check_page
from dpfair_cli.reporting.figures import artefact_differences
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.judged_artefact import ReportedArtefact
from dpfair_cli.reproduction.finished_runs import FinishedRuns, Progress
from dpfair_cli.reproduction.judgement import Judgement
from dpfair_cli.reproduction.run_choices import RunChoices, Shared
from dpfair_cli.reproduction.run_plan import RunPlan
from dpfair_cli.running.batches import FailedRun
from dpfair_cli.verdicts.decision import Tested, Verdicts


@dataclass(frozen=True)
class RunOptions(RunChoices):
    """What a command was told about runs, with the artefacts that it has read."""

    artefacts: dict[str, Artefact] = field(default_factory=dict, compare=False, repr=False)
    """Artefacts by name; only of a command that makes no run."""

    def artefact(self, name: str) -> Artefact:
        """The artefact with this name, such as xu2021/table8.1.

        Raises:
            DpfairError: there is no such artefact, its spec is malformed, or as `artefact_of`.
        """
        if name in self.artefacts:
            return self.artefacts[name]
        return self.artefact_of(self.spec(name))

    def artefact_of(self, spec: Spec) -> Artefact:
        """The artefact with a spec; if no run is made, its journal is read when first needed.

        Raises:
            DpfairError: runs are made, and the journal of the artefact is malformed.
        """
        if not self.collect:  # runs may have been made since the artefact was read
            return Artefact(spec, self)
        if spec.artefact not in self.artefacts:
            self.artefacts[spec.artefact] = Artefact(spec, self)
        return self.artefacts[spec.artefact]

    @property
    def reading(self) -> RunOptions:
        """The options for reading the finished runs of an artefact, made on whichever device."""
        shared = self.shared if self.collect else Shared(self.shared.papers)  # runs may be made
        artefacts = self.artefacts if self.collect else {}
        return replace(self, collect=True, device=CPU, shared=shared, artefacts=artefacts)


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
    """A table or figure of a paper: what is planned, finished and judged, and its files."""

    def __init__(self, spec: Spec, options: RunOptions) -> None:
        self.spec, self.options = spec, options
        self.plan = RunPlan(spec, options)
        self.folder = self.plan.folder
        self._read_again()

    def _read_again(self) -> None:
        """Begins anew with the finished runs, because the journal has other rows than before."""
        self.finished = FinishedRuns(self.plan)
        self.judgement = Judgement(self.finished, self._another)

    def _another(self, name: str) -> Judgement:
        """The judgement on another artefact of the same paper."""
        return self.options.reading.artefact(f"{self.spec.paper}/{name}").judgement

    def read(self) -> Read:
        """What commands that make no run need of the journal, for another process.

        Raises:
            DpfairError: the journal, a claim or a published cell is malformed.
        """
        judgement, finished = self.judgement, self.finished
        tested = judgement.tested(judgement.paper()) if finished.number else None
        return Read(self.plan.device, finished.progress, tested)

    def adopt(self, read: Read) -> None:
        """Takes what another process has read of the journal, which is then not read again."""
        self.plan.device = read.device
        self.finished.adopt(read.progress, read.tested.rows if read.tested else None)
        if read.tested:
            self.judgement.adopt(read.tested)

    def adopt_rows(self) -> None:
        """Copies rows that a sweep lacks from the journals of other sweeps in the same folder."""
        self.plan.adopt_rows()
        self._read_again()

    def run(self, tick: Callable[[int], Any]) -> list[FailedRun]:
        """Makes the artefact's missing runs and sorts its journal; returns the failed runs.

        `tick` is called as by `runner.execute`.

        Raises:
            DpfairError: another process makes runs of the artefact.
        """
        if self.options.collect:
            return []
        failures = self.plan.make(tick)
        self._read_again()
        return failures

    def render(self) -> ReportedArtefact:
        """Writes the files of the artefact and its verdicts; at least one run must be finished.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a run has a score
                that no run can have.
        """
        rows, notes = self.finished.rows(), self.judgement.notes()
        entry = self.judgement.report(self.judgement.rule())
        table, verdicts = entry.table, entry.verdicts
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
        layout = self.spec.layout
        if not isinstance(layout, PictureLayout):
            raise DpfairError(f"{self.spec.artefact}: {type(layout).__name__} draws no PDF file")
        with naming(self.folder):
            rows, notes = self.finished.rows(), self.judgement.notes()
            return layout.write_pdf(rows, table, self.spec, self.folder, notes=notes)

    def has_page_of(self, verdicts: Verdicts) -> bool:
        """Whether the file check.md of the artefact exists and contains these verdicts."""
        file = self.folder / check_page.FILE
        text = check_page.text(verdicts, self.spec, page=self._page())
        return file.is_file() and file.read_bytes() == text.encode()

    def _page(self) -> str:
        """The name of the page about the paper that shows the artefact."""
        return check_page.page_of(paper_folder(self.spec.paper), self.spec.name)
