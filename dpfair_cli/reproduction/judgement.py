"""The verdicts on the finished runs of an artefact, and what readers must know about these runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path

from dpfair_cli import catalog
from dpfair_cli.auditing import survey_rows
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.declarations import DataSet, StandIn
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import (
    BOUNDS_FROM_DATA,
    COMPUTED,
    UNPAID_SCORES,
    Status,
    TheoremEvidence,
    price,
)
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import PublishedPoint, Run, Spec
from dpfair_cli.paths import results_file, shipped
from dpfair_cli.reporting import tables
from dpfair_cli.reporting.chapter_pages import measured_text
from dpfair_cli.reporting.shown import JudgedArtefact, ReportedArtefact
from dpfair_cli.reporting.tables import RunStatus
from dpfair_cli.reproduction.runs import ArtefactRuns
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.cells.published import published_points
from dpfair_cli.verdicts.claims.claim import ClaimPart
from dpfair_cli.verdicts.decision import Tested, Verdicts, decide, tested
from dpfair_cli.verdicts.deviations.deviation import Deviation, datasets_not_run
from dpfair_cli.verdicts.means import with_axis_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule
from dpfair_cli.verdicts.references import Lookup, Numbers, measured_references

LEAK = (
    "BOUNDS FROM THE DATA: ranges and levels were read from the private data; no guarantee covers "
    "this"
)
AS_IT_IS = (
    "These results are not private: exact scores, known seeds, and the same unit noise at all "
    "epsilons of a seed"
)
BY_VERDICT = "compare the verdicts with those of other devices, and not the digits"
NOT_FILLED_IN = "not filled in: these runs are not complete"


class NotCompleteError(DpfairError):
    """The error for an artefact that lacks some of its full (not quick) runs."""


class Judgement:
    """The verdicts on finished runs; after more runs are made, a new object is needed.

    `another` returns the judgement on the artefact of the same paper with a name.
    """

    def __init__(self, runs: ArtefactRuns, another: Callable[[str], Judgement]) -> None:
        self.runs, self._another = runs, another
        self.spec, self.options = runs.spec, runs.options

    @cached_property
    def tested(self) -> Tested:
        """The published cells and claims of this artefact, tested on its finished runs.

        Raises:
            DpfairError: a claim or a published cell is malformed.
        """
        paper = self.paper()
        # audits are slow, so their committed result is read
        theorems = theorem_evidence(self.options.out, paper.claims_of(self.spec.name))
        return tested(
            self.runs.rows(), self.spec, paper, standins=self.standins(), theorems=theorems
        )

    @property
    def not_run(self) -> dict[str, str]:
        """The artefact's data sets that deviations.yaml declares as not run, with the reasons."""
        return datasets_not_run(self.spec.name, self.paper().deviations)

    @property
    def missing_runs(self) -> int:
        """The number of the artefact's runs that its journal lacks.

        Data sets that deviations.yaml declares as not run do not count.
        """
        declared, missing = self.not_run, self.runs.missing
        return sum(number for dataset, number in missing.items() if dataset not in declared)

    def notes(self) -> tuple[str, ...]:
        """The notes on the artefact's data below the table or figure, such as "REPLICA: ..."."""
        names = {dataset.name: dataset for dataset in self.spec.datasets}
        notes = [_describe_standin(names[name], word) for name, word in self.standins().items()]
        if self._bounds_from_data:
            notes.append(LEAK)
        if self._of_private_data:
            notes.append(AS_IT_IS)
        device = self.runs.device  # digits of an accelerator differ from those of a processor
        if not device.is_processor:
            notes.append(f"Networks were trained on the device {device.name}: {BY_VERDICT}")
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
        # not of the distinct methods: each seed is a release
        fits = [(run.method.algorithm.guarantee, run.method.params) for run in self.spec.runs()]
        cost = price(fits * self.spec.task.fits_per_run)
        return f"Total privacy loss if all fits were published, each with secret noise: {cost}"

    def standins(self) -> dict[str, StandIn]:
        """The data sets that are not those of the paper, by name, with the kind of replacement."""
        return standins({dataset: one.replica for dataset, one in self.runs.located.items()})

    def statuses(self) -> list[RunStatus]:
        """The privacy status of every setting of every method of the artefact.

        The status is void if bounds are read from the data, or if scores of private data are
        published without noise.
        """
        broken = [BOUNDS_FROM_DATA] if self._bounds_from_data else []
        broken += [UNPAID_SCORES] if self._of_private_data else []
        return [_status_of(run, self.spec, broken) for run in self.spec.first_runs()]

    def paper(self) -> Paper:
        """The published values, claims and deviations of the paper of this artefact.

        Raises:
            DpfairError: an entry of a file of the paper is malformed.
        """
        return self.options.paper(self.spec.paper)

    def rule(self) -> PaperRule:
        """The rule of the paper that was derived when the whole paper was last rendered."""
        return read_rule(results_file(self.options.out, f"{self.spec.paper}/{FILE}"))

    def judge(self, rule: PaperRule | None) -> JudgedArtefact:
        """The artefact with its verdicts by a rule or by that of its paper; writes no file.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a method has two
                runs with one seed at one point.
        """
        with_axis_columns(self.runs.rows(), self.spec)  # which refuses two runs at one point
        return JudgedArtefact(self.spec, self.decide_with_findings(rule))

    def report(self) -> ReportedArtefact:
        """The artefact with the table of its finished runs and its verdicts.

        Raises:
            DpfairError: as `decide_with_findings`.
        """
        verdicts = self.decide_with_findings()
        table = tables.make(
            self.runs.rows(),
            self.spec,
            verdicts.cells,
            notes=(*self.notes(), *self.remarks()),
            statuses=self.statuses(),
            authors=verdicts.authors,
        )
        table = replace(table, published=self._published_points())
        return ReportedArtefact(self.spec, verdicts, table)

    def decide(self) -> Verdicts:
        """The verdicts on the published cells and claims of this artefact by the paper's rule.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed.
        """
        return self._decided(self.paper(), None)

    def decide_with_findings(self, rule: PaperRule | None = None) -> Verdicts:
        """The verdicts by a rule, or by the paper's; references of deviations are filled in.

        Where the `measured` of a deviation of this artefact refers to a number of ours, the text
        has this number, or says that runs are missing.

        Raises:
            DpfairError: a claim, a deviation, a reference or a published cell is malformed.
        """
        paper, numbers = self.paper(), cache(self._complete_numbers)
        # those of other artefacts would need their journals
        own = paper.deviations_of(self.spec.name)
        filled = []
        for one in paper.deviations:
            refers = one in own and one.measured
            filled.append(self._filled(one, numbers) if refers else one)
        return self._decided(replace(paper, deviations=filled), rule)

    def _decided(self, paper: Paper, rule: PaperRule | None) -> Verdicts:
        """The verdicts with the deviations of `paper`, which may have our numbers filled in."""
        return decide(self.tested, paper, rule or self.rule(), unpublished_settings(self.spec))

    def _filled(self, deviation: Deviation, lookup: Lookup) -> Deviation:
        """A deviation with the numbers to which its `measured` refers."""
        name = self.spec.name
        try:
            text = measured_text(measured_references(deviation, name), name, lookup)
        except NotCompleteError:
            text = NOT_FILLED_IN
        return replace(deviation, findings=text)

    def _complete_numbers(self, name: str) -> Numbers:
        """The numbers of the artefact `name` of the same paper.

        Raises:
            NotCompleteError: the runs are quick, or some runs are missing.
        """
        # without a second reading of the own journal
        found = self if name == self.spec.name else self._another(name)
        if self.options.quick or found.missing_runs:
            raise NotCompleteError(
                f"the artefact {name} is not complete: some of its runs are missing"
            )
        return found.numbers()

    def numbers(self) -> Numbers:
        """The numbers of this artefact: our means and the published ones."""
        return Numbers(self.spec, self.runs.rows(), self.paper().cells_of(self.spec))

    def _published_points(self) -> tuple[PublishedPoint, ...]:
        """The published cells that this figure shows, including cells of other artefacts."""
        names = self.spec.layout.placement.artefacts
        # a figure may show cells that a table of the paper prints
        lenders = [load(f"{self.spec.paper}/{name}") for name in names]
        published = chain.from_iterable(map(self.paper().cells_of, (self.spec, *lenders)))
        return published_points(self.spec, lenders, [*published], standins=self.standins())

    @property
    def _bounds_from_data(self) -> bool:
        """Whether the ranges or levels of a data set of this artefact are read from the data."""
        return any(dataset.reads_bounds for dataset in self.spec.datasets)

    @property
    def _of_private_data(self) -> bool:
        """Whether a data set of this artefact is a user's own file, which may be private."""
        return any(dataset.source.public_files for dataset in self.spec.datasets)


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


def _status_of(run: Run, spec: Spec, broken: Sequence[str]) -> RunStatus:
    """The privacy status of a run whose guarantee has the `broken` conditions."""
    params = run.method.params
    given = {**run.dataset.options, **params}
    # the axis of a curve is no parameter of the method
    axes = [axis for axis in spec.layout.axes if axis != spec.curve]
    values = {axis: given[axis] for axis in axes if given.get(axis) is not None}
    status = run.method.algorithm.guarantee.label(params, broken)
    return RunStatus(status, run.label, run.dataset.name, values)


def theorem_evidence(results: Path, parts: Iterable[ClaimPart]) -> dict[str, TheoremEvidence]:
    """The evidence that parts of claims name, as far as there is any, by name.

    A method without a variant stands under its name, such as "pflr", and a variant as in "dpm:
    sensitivity published". The first data set of an audited method counts.
    """
    names = set(chain.from_iterable(part.theorem for part in parts))
    found = {}
    for name in names.intersection(COMPUTED):
        from dpfair_cli.auditing import theorems  # imports SciPy, which is slow

        found[name] = theorems.computed(name)
    if names - found.keys():  # the file of the audits is large
        file = results_file(results, "audit.csv")
        if not file.exists():  # in a project, which may use the methods of dpfair alone
            file = shipped("results") / "audit.csv"
        # so that the first row of a method stays
        for row in reversed(survey_rows.read(file.parent)):
            name = f"{row.method}: {row.variant}" if row.variant else row.method
            if name in names and not row.verdict.startswith("not run"):
                found[name] = _evidence_of(row)
    return found


def _evidence_of(row: Audited) -> TheoremEvidence:
    """The evidence of one audit for the privacy of a method."""
    tried = f"the audit on {row.data} ({row.neighbours}) finds epsilon {row.found} of {row.claimed}"
    if row.verdict.startswith("refuted: "):
        why = row.verdict.removeprefix("refuted: ")
        return TheoremEvidence(tried, counterexample=f"{why} ({row.neighbours}, {row.claimed})")
    is_proved = row.label == Status.PROVED
    proof = catalog.algorithm(row.method).guarantee.proof if is_proved else ""
    return TheoremEvidence(tried, proof=proof)
