"""Judges published cells: each cell is compared with every variant of its method.

The variants of a cell are our methods whose `published` name in the spec is the method of the cell.
The default variant is the one with the same name as the published method, or else the first in the
spec. The rule of a verdict is in `comparison.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import (
    FEWEST,
    UNCORRECTED,
    Comparison,
    Decision,
    Levels,
    Sample,
)
from dpfair_cli.verdicts.cells.judged import Experiment, JudgedCell, JudgedVariant
from dpfair_cli.verdicts.cells.published import PublishedCell, parameter_names
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import Runs, deviation, fits, mean, runs_of, with_axis_columns
from dpfair_cli.verdicts.wording import describe_parameters, label

TIMES = ("seconds",)  # not compared: the machines differ
RECORD_COUNTS = ("sample_size",)  # numbers of records, which are true by construction
REPLICA = "REPLICA"
ACCURACIES = ("accuracy", "accuracy_lr", "accuracy_svm", "accuracy_dt", "accuracy_rf")
MAJORITY = "majority_accuracy"  # the score of a constant baseline


def judge_cells(
    rows: pd.DataFrame,
    spec: Spec,
    published: Sequence[PublishedCell],
    *,
    standins: Mapping[str, str],
    levels: Levels = UNCORRECTED,
) -> list[JudgedCell]:
    """The verdict on each published cell of an artefact by the rows of our runs.

    Raises:
        DpfairError: a cell fits several settings of a method.
    """
    published = [cell for cell in published if cell.artefact == spec.name]
    if not published:
        return []
    runs = _ArtefactRuns(rows, spec, [*spec.layout.axes, *parameter_names(published)], levels)
    others = rivals(published)
    return [_judge(cell, runs, others[cell], standins) for cell in published]


def at_levels(cell: JudgedCell, levels: Levels) -> JudgedCell:
    """The cell with the verdicts of its variants at other significance levels."""
    if not cell.default:
        return cell
    variants = []
    for variant in cell.variants:
        decision = replace(variant.decision, levels=levels)
        verdict = decision.verdict if variant.verdict.is_compared else variant.verdict
        variants.append(replace(variant, decision=decision, verdict=verdict))
    return replace(cell, variants=tuple(variants), verdict=variants[0].verdict)


def _judge(
    cell: PublishedCell,
    runs: _ArtefactRuns,
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


def _misspelt(cell: PublishedCell, runs: _ArtefactRuns) -> str:
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


class _ArtefactRuns:
    """The runs of an artefact, as its published cells ask for them."""

    def __init__(self, rows: pd.DataFrame, spec: Spec, keys: Sequence[str], levels: Levels) -> None:
        rows = with_axis_columns(rows, spec)
        self.rows = rows.assign(published_method=rows["method"].map(spec.published_labels))
        self.runs = runs_of(self.rows)
        self.spec, self.keys, self.levels = spec, list(dict.fromkeys(keys)), levels
        named = [*(one.options for one in spec.datasets), *(one.params for one in spec.methods)]
        self.settings = sorted({name for name in chain.from_iterable(named) if name in rows})
        self.labels = self.rows.index.tolist()
        self.places = self.rows.groupby(["dataset", "published_method"]).indices
        self.deviations: dict[tuple[Any, ...], tuple[float, float]] = {}

    def of_cell(self, cell: PublishedCell) -> list[Runs]:
        """The runs of each variant of a cell's method, the default variant first.

        They have the data set, method, parameters and score of the cell.

        Raises:
            DpfairError: two runs of a variant have one seed, so that the cell has several settings.
        """
        place = self.places.get((cell.dataset, cell.method))  # positions of runs
        if place is None or cell.metric not in self.runs:
            return []
        found = self.runs.at(np.asarray(place)).having(cell.parameters).with_score(cell.metric)
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
        ours = Sample(mean(scores), deviation(scores), len(runs))
        compared = Comparison(
            ours,
            sample,
            self._spread(cell, ours, parameters),
            relative=cell.metric in self.spec.task.study.unbounded,
        )
        decision = Decision(compared, tuple(rivals), self.levels)
        is_count = cell.metric in RECORD_COUNTS
        method = str(runs.values("method")[0])
        return JudgedVariant(
            label=method,
            name=method.removeprefix(cell.method).removeprefix(", "),
            parameters=parameters,
            decision=decision,
            verdict=CellVerdict.RECORD_COUNT if is_count else decision.verdict,
            rows=tuple(self.labels[run] for run in runs.positions),
            # by seed, so that scores of two methods can be paired
            scores=tuple(scores[np.argsort(runs.seeds, kind="stable")].tolist()),
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
        if known not in self.deviations:
            self.deviations[known] = self._largest_deviations(cell.metric, place)
        absolute, relative = self.deviations[known]
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
    found: dict[PublishedCell, list[PublishedCell]] = {}
    for group in groups.values():
        found |= _rivals_in(group)
    return found


def _rivals_in(group: Sequence[PublishedCell]) -> dict[PublishedCell, list[PublishedCell]]:
    """The cells of other methods in the place of each cell, for cells of one data set and score."""
    points = {cell: frozenset(cell.parameters.items()) for cell in group}
    distinct = {point: dict(point) for point in points.values()}
    # papers print many cells of few points, and points are compared much faster than cells
    place = {}
    for point, own in distinct.items():
        place[point] = {other for other in distinct if fits(own, distinct[other])}
    found = {}
    for cell in group:
        others = (other for other in group if other.method != cell.method)
        found[cell] = [other for other in others if points[other] in place[points[cell]]]
    return found
