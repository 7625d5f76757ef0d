"""The verdicts on the finished runs of an artefact, and what readers must know about these runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from dpfair_cli.contracts.declarations import StandIn
from dpfair_cli.contracts.layouts import PublishedPoint
from dpfair_cli.contracts.resolved import DataSet
from dpfair_cli.contracts.schemas import OUTSIDE_RULE
from dpfair_cli.contracts.specs import Setting, Spec
from dpfair_cli.paths import results_file
from dpfair_cli.release import guarantee
from dpfair_cli.reporting import tables
from dpfair_cli.reporting.judged_artefact import JudgedArtefact, ReportedArtefact
from dpfair_cli.reporting.tables import RunStatus
from dpfair_cli.reproduction.finished_runs import FinishedRuns
from dpfair_cli.reproduction.measured import NotCompleteError, fill_in
from dpfair_cli.reproduction.theorem_evidence import theorem_evidence
from dpfair_cli.running.spec import load
from dpfair_cli.verdicts.cells.published_points import published_points
from dpfair_cli.verdicts.decision import Tested, Verdicts, decide, tested
from dpfair_cli.verdicts.deviations.deviation import datasets_not_run
from dpfair_cli.verdicts.means import with_axis_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import FILE, PaperRule, read_rule
from dpfair_cli.verdicts.references import Numbers

LEAK = (
    "BOUNDS FROM THE DATA: ranges and levels were read from the private data; no guarantee covers "
    "this"
)
AS_IT_IS = (
    "These results are not private: exact scores, known seeds, and the same unit noise at all "
    "epsilons of a seed"
)
BY_VERDICT = "compare the verdicts with those of other devices, and not the digits"


class Judgement:
    """The verdicts on finished runs; after more runs are made, a new object is needed."""

    def __init__(self, finished: FinishedRuns, another: Callable[[str], Judgement]) -> None:
        """`another` returns the judgement on the artefact of the same paper with a name."""
        self.finished, self.plan = finished, finished.plan
        self.spec, self.choices = self.plan.spec, self.plan.choices
        self._another = another
        self._tested: dict[Paper, Tested] = {}

    def adopt(self, tested: Tested) -> None:
        """Takes the cells and claims that another process has tested."""
        self._tested[self.paper()] = tested

    @property
    def not_run(self) -> dict[str, str]:
        """The artefact's data sets that deviations.yaml declares as not run, with the reasons."""
        return datasets_not_run(self.spec.name, self.paper().deviations)

    @property
    def missing_runs(self) -> int:
        """The number of the artefact's runs that its journal lacks.

        Data sets that deviations.yaml declares as not run do not count.
        """
        declared, missing = self.not_run, self.finished.progress.missing
        return sum(number for dataset, number in missing.items() if dataset not in declared)

    def notes(self) -> tuple[str, ...]:
        """The notes on the artefact's data below the table or figure, such as "REPLICA: ..."."""
        names = {dataset.name: dataset for dataset in self.spec.datasets}
        notes = [_describe_standin(names[name], word) for name, word in self.standins().items()]
        if self._bounds_from_data:
            notes.append(LEAK)
        if self._of_private_data:
            notes.append(AS_IT_IS)
        device = self.plan.device
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
        fits = [(run.method.algorithm.guarantee, run.method.params) for run in self.spec.runs()]
        cost = guarantee.price(fits * self.spec.task.fits_per_run)
        return f"Total privacy loss if all fits were published, each with secret noise: {cost}"

    def standins(self) -> dict[str, StandIn]:
        """The data sets that are not those of the paper, by name, with the kind of replacement."""
        return standins({dataset: one.replica for dataset, one in self.plan.located.items()})

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
        return self.choices.paper(self.spec.paper)

    def judge(self, rule: PaperRule | None) -> JudgedArtefact:
        """The artefact with its verdicts by a rule or by that of its paper; writes no file.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed, or a method has two
                runs with one seed at one point.
        """
        with_axis_columns(self.finished.rows(), self.spec)  # which refuses two runs at one point
        return JudgedArtefact(
            self.spec, self.decide_with_findings(self.paper(), rule or self.rule())
        )

    def rule(self) -> PaperRule:
        """The rule of the paper that was derived when the whole paper was last rendered."""
        return read_rule(results_file(self.choices.out, f"{self.spec.paper}/{FILE}"))

    def report(self, rule: PaperRule) -> ReportedArtefact:
        """The artefact with the table of its finished runs and its verdicts by a rule.

        Raises:
            DpfairError: as `decide_with_findings`.
        """
        paper = self.paper()
        verdicts = self.decide_with_findings(paper, rule)
        notes = (*self.notes(), *self.remarks())
        table = tables.make(
            self.finished.rows(),
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
        filled = fill_in(paper, self.spec.name, partial(self._numbers, paper))
        return decide(self.tested(paper), filled, rule, unpublished_settings(self.spec))

    def decide(self, paper: Paper, rule: PaperRule) -> Verdicts:
        """The verdicts on the published cells and claims of this artefact by a rule.

        Raises:
            DpfairError: a claim, a deviation or a published cell is malformed.
        """
        return decide(self.tested(paper), paper, rule, unpublished_settings(self.spec))

    def tested(self, paper: Paper) -> Tested:
        """The published cells and claims of this artefact, tested once on its finished runs.

        Raises:
            DpfairError: a claim or a published cell is malformed.
        """
        if paper not in self._tested:
            theorems = theorem_evidence(self.choices.out, paper.claims_of(self.spec.name))
            self._tested[paper] = tested(
                self.finished.rows(), self.spec, paper, standins=self.standins(), theorems=theorems
            )
        return self._tested[paper]

    def _numbers(self, paper: Paper, name: str) -> Numbers:
        """The numbers of the artefact `name` of the same paper.

        Raises:
            NotCompleteError: the runs are quick, or some runs are missing.
        """
        found = self if name == self.spec.name else self._another(name)
        if self.choices.quick or found.missing_runs:
            raise NotCompleteError(
                f"the artefact {name} is not complete: some of its runs are missing"
            )
        return Numbers(found.spec, found.finished.rows(), paper.cells_of(found.spec))

    def _published_points(self, paper: Paper) -> tuple[PublishedPoint, ...]:
        """The published cells that this figure shows, including cells of other artefacts."""
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
    params = run.method.params
    given = {**run.dataset.options, **params}
    axes = [axis for axis in spec.layout.axes if axis != spec.curve]
    values = {axis: given[axis] for axis in axes if given.get(axis) is not None}
    status = run.method.algorithm.guarantee.label(params, broken)
    return RunStatus(status, run.label, run.dataset.name, values)
