"""Judges published cells: each cell is compared with every variant of its method.

The variants of a cell are our methods whose `published` name in the spec is the method of the cell.
The default variant is the one with the same name as the published method, or else the first in the
spec. The rule of a verdict is in `comparison.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import (
    FEWEST,
    CellVerdict,
    Comparison,
    Decision,
    Levels,
    Sample,
)
from dpfair_cli.verdicts.cells.published import PublishedCell, parameter_names
from dpfair_cli.verdicts.deviations.deviation import Deviation, Explained
from dpfair_cli.verdicts.means import (
    Runs,
    fits,
    mean,
    runs_of,
    standard_deviation,
    with_axis_columns,
)
from dpfair_cli.verdicts.wording import describe_parameters, label

TIMES = ("seconds",)  # not compared: the machines differ
RECORD_COUNTS = ("sample_size",)  # numbers of records, which are true by construction
REPLICA = "REPLICA"
ACCURACIES = ("accuracy", "accuracy_lr", "accuracy_svm", "accuracy_dt", "accuracy_rf")
MAJORITY = "majority_accuracy"  # the score of a constant baseline


@dataclass(frozen=True)
class Experiment:
    """The number that a published cell prints, and its experiment: data set, method, settings.

    Two cells that print the same number of the same experiment have equal objects.
    """

    dataset: str
    algorithm: str  # of the default variant
    metric: str
    mean: float
    std: float | None
    settings: tuple[tuple[str, Any], ...]  # each parameter of data set and algorithm
    point: Any  # place on the axis of the task's curves; empty if the score is not a curve


@dataclass(frozen=True, eq=False)
class JudgedVariant:
    """One variant of a cell's method, compared with the published value."""

    label: str  # as tables print it, such as "PFLR, shift"
    name: str  # of the variant alone, such as "shift"; empty for the default variant
    parameters: Mapping[str, Any]  # of the runs, those that tell the cells of the artefact apart
    decision: Decision
    verdict: CellVerdict  # on the cell under the variant
    rows: tuple[int, ...]  # labels of the rows that are averaged
    scores: Mapping[int, float] = field(default_factory=dict)  # of each run, by its seed

    @property
    def comparison(self) -> Comparison:
        """The comparison of the runs with the published value."""
        return self.decision.comparison

    @property
    def ours(self) -> Sample:
        """Our mean over the runs of the variant."""
        return self.comparison.ours


@dataclass(frozen=True, eq=False)
class JudgedCell(Explained):
    """A published cell, compared with every variant of its method."""

    published: PublishedCell
    description: str  # such as "adult, PFLR, epsilon 0.1, accuracy"
    sample: Sample  # the published mean with its deviation and number of runs
    verdict: CellVerdict  # under the default variant
    variants: tuple[JudgedVariant, ...] = ()  # the default one first; empty if not compared
    experiment: Experiment | None = None  # what the cell prints; None without runs
    deviation: Deviation | None = None  # which explains the cell
    hint: str = ""  # of a cell without runs: the nearest known name to an unknown one

    @property
    def default(self) -> JudgedVariant | None:
        """The default variant of the cell's method; None if nothing was compared."""
        return self.variants[0] if self.variants else None

    @property
    def others(self) -> tuple[JudgedVariant, ...]:
        """The compared variants of the cell's method without the default variant."""
        return self.variants[1:]

    @property
    def nearest(self) -> JudgedVariant | None:
        """The variant whose mean is nearest to the published value; None without two variants."""
        if not self.others:
            return None
        return min(self.variants, key=lambda variant: variant.comparison.difference)

    @property
    def rivals(self) -> Sequence[float]:
        """The values that other methods and constants give in the place of the cell."""
        return self.default.decision.rivals if self.default else ()

    @property
    def kind(self) -> str:
        """Of an undecided cell, whether seeds of ours would decide it; else that of the deviation.

        It is empty for a cell that is decided and has no deviation.
        """
        undecided = self.default and self.verdict is CellVerdict.UNDECIDED
        return self.default.decision.outlook if self.default and undecided else super().kind

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the cell, such as epsilon, with their values."""
        return self.default.parameters if self.default else self.published.parameters

    @property
    def is_fragile(self) -> bool:
        """Whether the cell would be undecided if the published runs vary more than ours."""
        differs = self.default and self.verdict is CellVerdict.DIFFERS
        return bool(self.default and differs and self.default.decision.is_fragile)

    @property
    def remedy(self) -> str:
        """What would decide an undecided cell, in words; empty for other cells."""
        undecided = self.default and self.verdict is CellVerdict.UNDECIDED
        return self.default.decision.remedy if self.default and undecided else ""

    @property
    def is_unexplained(self) -> bool:
        """Whether `check` fails because of this cell."""
        return self.verdict.needs_deviation and self.deviation is None

    def variant(self, name: str) -> JudgedVariant | None:
        """The variant named `name` of the cell's method; None if this variant was not run."""
        return next((one for one in self.variants if one.name == name), None)


def judge_cells(
    rows: pd.DataFrame,
    spec: Spec,
    published: Sequence[PublishedCell],
    *,
    standins: Mapping[str, str],
) -> list[JudgedCell]:
    """The verdict on each published cell of an artefact by the rows of our runs, by a single test.

    Raises:
        DpfairError: a cell fits several settings of a method.
    """
    published = [cell for cell in published if cell.artefact == spec.name]
    if not published:
        return []
    runs = _RunsOfCells(rows, spec, [*spec.layout.axes, *parameter_names(published)])
    others = rivals(published)
    return [_judge(cell, runs, others[cell], standins) for cell in published]


def at_levels(cell: JudgedCell, levels: Levels) -> JudgedCell:
    """The cell with the verdicts of its variants at other significance levels."""
    if not cell.default:
        return cell
    variants = []
    for variant in cell.variants:
        decision = replace(variant.decision, levels=levels)
        # a number of records stays one at any level
        verdict = decision.verdict if variant.verdict.is_compared else variant.verdict
        variants.append(replace(variant, decision=decision, verdict=verdict))
    return replace(cell, variants=tuple(variants), verdict=variants[0].verdict)


def _judge(
    cell: PublishedCell,
    runs: _RunsOfCells,
    others: Sequence[PublishedCell],
    standins: Mapping[str, str],
) -> JudgedCell:
    """The verdict on one published cell; `others` are the cells of other methods in its place."""
    spec = runs.spec
    sample = Sample(cell.mean, cell.std, cell.runs or spec.runs_of_published(cell.dataset))
    named = {key: cell.parameters[key] for key in runs.keys if key in cell.parameters}
    parts = (cell.dataset, cell.method, describe_parameters(named), label(cell.metric, spec))
    words = ", ".join(filter(None, parts))
    if standins.get(cell.dataset) == REPLICA or cell.metric in TIMES:
        return JudgedCell(cell, words, sample, CellVerdict.NOT_COMPARED)
    # after the replica, whose runs say nothing about the paper
    groups = runs.of_cell(cell)
    if not groups:
        hint = _misspelt(cell, runs)
        return JudgedCell(cell, words, sample, CellVerdict.MISSING, hint=hint)
    values = (*(one.mean for one in others), *runs.constants(cell, groups[0]))
    variants = tuple(runs.compare(cell, sample, own, values) for own in groups)
    experiment = runs.experiment(cell, variants[0], groups[0])
    return JudgedCell(cell, words, sample, variants[0].verdict, variants, experiment)


def _misspelt(cell: PublishedCell, runs: _RunsOfCells) -> str:
    """A hint for a published cell without runs: its unknown name, and the nearest known name."""
    scores = {*runs.spec.task.score_ranges, *([cell.metric] if cell.metric in runs.runs else [])}
    hints = []
    for noun, (word, known) in names_in(cell, runs.spec, scores).items():
        meant = "" if word in known else _meaning(word, frozenset(known))
        if meant:
            hints.append(f"no {noun} {word!r} here: {meant}")
    return "; ".join(hints)


_meaning = cache(meaning)  # many cells have the same unknown name


def names_in(cell: PublishedCell, spec: Spec, scores: set[str]) -> dict[str, tuple[str, set[str]]]:
    """Each name in a cell with the names that are known in its place, by noun."""
    return {
        "data set": (cell.dataset, {*spec.dataset_names}),
        "method": (cell.method, {*spec.published_labels.values()}),
        "score": (cell.metric, scores),
    }


class _RunsOfCells:
    """The runs of an artefact, as its published cells ask for them."""

    def __init__(self, rows: pd.DataFrame, spec: Spec, keys: Sequence[str]) -> None:
        rows = with_axis_columns(rows, spec)
        self.rows = rows.assign(published_method=rows["method"].map(spec.published_labels))
        self.runs = runs_of(self.rows)
        self.spec, self.keys = spec, list(dict.fromkeys(keys))
        named = [*(one.options for one in spec.datasets), *(one.params for one in spec.methods)]
        self.settings = sorted({name for name in chain.from_iterable(named) if name in rows})
        # thousands of cells ask for the few spreads of their table
        self.spreads: dict[tuple[Any, ...], tuple[float, float]] = {}

    def of_cell(self, cell: PublishedCell) -> list[Runs]:
        """The runs of each variant of a cell's method, the default variant first.

        They have the data set, method, parameters and score of the cell.

        Raises:
            DpfairError: two runs of a variant have one seed, so that the cell has several settings.
        """
        if cell.metric not in self.runs:
            return []
        place = {"dataset": cell.dataset, "published_method": cell.method}
        found = self.runs.having(place).having(cell.parameters).with_score(cell.metric)
        methods = found.values("method")
        # the default variant has the name of the published method; else it is the first of the spec
        names = sorted(dict.fromkeys(methods.tolist()), key=lambda name: name != cell.method)
        groups = [found.at(found.positions[methods == name]) for name in names]
        # a seed twice: the mean would mix two settings
        if any(len({*own.seeds.tolist()}) < len(own) for own in groups):
            raise DpfairError(
                "a cell of published.csv must belong to one setting, but several settings of "
                f"{methods[0]} match: add parameters to the cell until one matches"
            )
        return groups

    def compare(
        self, cell: PublishedCell, sample: Sample, runs: Runs, rivals: Sequence[float]
    ) -> JudgedVariant:
        """The comparison of the runs of one variant with a published cell."""
        scores = runs.numbers(cell.metric)
        own = {key: runs.values(key)[0] for key in self.keys if key in self.runs}
        parameters = {**cell.parameters, **{k: v for k, v in own.items() if pd.notna(v)}}
        ours = Sample(mean(scores), standard_deviation(scores), len(runs))
        compared = Comparison(
            ours,
            sample,
            self._spread(cell, ours, parameters),
            relative=cell.metric in self.spec.task.study.unbounded,
        )
        decision = Decision(compared, tuple(rivals))
        verdict = compared.recomputed if self.spec.recomputes else decision.verdict
        is_count = cell.metric in RECORD_COUNTS
        method = str(runs.values("method")[0])
        return JudgedVariant(
            label=method,
            name=method.removeprefix(cell.method).removeprefix(", "),
            parameters=parameters,
            decision=decision,
            verdict=CellVerdict.RECORD_COUNT if is_count else verdict,
            rows=tuple(self.rows.index[runs.positions].tolist()),
            # by seed, so that scores of two methods can be paired
            scores=dict(sorted(zip(runs.seeds.tolist(), scores.tolist(), strict=True))),
        )

    def constants(self, cell: PublishedCell, runs: Runs) -> list[float]:
        """The values that a constant gives for a score: 0, and of accuracies that of the majority.

        The accuracy of the majority class is measured on the held-out records of the same runs.
        """
        if cell.metric not in ACCURACIES or MAJORITY not in self.runs:
            return [0.0]
        found = runs.numbers(MAJORITY)
        return [0.0, mean(found)] if not np.isnan(found).any() else [0.0]

    def experiment(self, cell: PublishedCell, default: JudgedVariant, runs: Runs) -> Experiment:
        """The experiment of a cell, from the first run of the default variant."""
        settings = [(name, runs.values(name)[0]) for name in self.settings]
        return Experiment(
            cell.dataset,
            runs.values("algorithm")[0],
            cell.metric,
            cell.mean,
            # NaN is not equal to itself, and would make equal experiments differ
            None if math.isnan(cell.std) else cell.std,
            tuple((name, value) for name, value in settings if pd.notna(value)),
            default.parameters.get(self.spec.curve, ""),
        )

    def _spread(self, cell: PublishedCell, ours: Sample, parameters: Mapping[str, Any]) -> float:
        """The largest standard deviation over seeds that this artefact has for the score of a cell.

        NaN for three seeds or more, and if no deviation is known. For two seeds, the maximum is
        over all methods at the same data set and parameters; for one seed, over all data sets and
        parameters. For one seed and a score that is not a rate, the maximum is over deviation
        divided by mean, and is multiplied by the smaller of the two compared means.
        """
        if ours.runs >= FEWEST:
            return math.nan
        place = {"dataset": cell.dataset, **parameters} if ours.runs > 1 else {}
        known = (cell.metric, *place.items())
        if known not in self.spreads:
            self.spreads[known] = self._largest_deviations(cell.metric, place)
        absolute, relative = self.spreads[known]
        if ours.runs > 1 or cell.metric not in self.spec.task.study.unbounded:
            return absolute
        return relative * float(min(abs(ours.mean), abs(cell.mean)))

    def _largest_deviations(self, metric: str, place: Mapping[str, Any]) -> tuple[float, float]:
        """The largest standard deviation of the score `metric`, absolute and divided by the mean.

        `place` restricts the runs to those with the given values.
        """
        runs = self.rows.iloc[self.runs.having(place).positions]
        groups = runs.groupby(["dataset", "method", *self.spec.layout.axes], dropna=False)[metric]
        deviations = groups.std()
        return float(deviations.max()), float((deviations / groups.mean().abs()).max())


def rivals(cells: Iterable[PublishedCell]) -> dict[PublishedCell, list[PublishedCell]]:
    """The cells of other methods in the place of each cell of an artefact.

    Two cells are in the same place if they have the same data set and score, and the same value of
    each parameter that both name. A cell without epsilon, such as the one of a method that is not
    private, is therefore in the same place as the cells of every epsilon.
    """
    groups: dict[tuple[str, str], list[PublishedCell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.metric), []).append(cell)
    found = {}
    for alike in groups.values():
        points = [frozenset(cell.parameters.items()) for cell in alike]
        for cell, point in zip(alike, points, strict=True):
            found[cell] = [
                other
                for other, there in zip(alike, points, strict=True)
                if other.method != cell.method and _are_one_place(point, there)
            ]
    return found


@cache  # papers print many cells of few points
def _are_one_place(point: frozenset[tuple[str, Any]], other: frozenset[tuple[str, Any]]) -> bool:
    """Whether two cells of one data set and score with these parameters are in the same place."""
    return fits(dict(point), dict(other))
