"""Judges published cells: each cell is compared with every variant of its method.

The variants of a cell are our methods whose `published` name in the spec is the method of the cell.
The default variant is the one with the same name as the published method, or else the first in the
spec. The rule of a verdict is in `rule.py`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.errors import DpfairError, meaning
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import FEWEST, Comparison, Sample
from dpfair_cli.verdicts.cells.judged import Experiment, JudgedCell, JudgedVariant
from dpfair_cli.verdicts.cells.published import PublishedCell, parameter_names
from dpfair_cli.verdicts.cells.rivals import other_methods
from dpfair_cli.verdicts.cells.rule import UNCORRECTED, Decision, Levels
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import deviation, has_values, mean, with_axis_columns
from dpfair_cli.verdicts.wording import describe_parameters, label

TIMES = ("seconds",)  # not compared: the machines differ
RECORD_COUNTS = ("sample_size",)  # numbers of records, which are true by construction
REPLICA = "REPLICA"
ACCURACIES = ("accuracy", "accuracy_lr", "accuracy_svm", "accuracy_dt", "accuracy_rf")
MAJORITY = "majority_accuracy"  # the score of a constant baseline

Positions = NDArray[np.intp]  # positions of runs among all runs of an artefact


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
    runs = _Runs(rows, spec, [*spec.layout.axes, *parameter_names(published)], levels)
    others = other_methods(published)
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
    cell: PublishedCell, runs: _Runs, others: Sequence[float], standins: Mapping[str, str]
) -> JudgedCell:
    """The verdict on one published cell."""
    spec = runs.spec
    sample = Sample(cell.mean, cell.std, cell.runs or spec.runs_of_published(cell.dataset))
    named = {key: cell.parameters[key] for key in runs.keys if key in cell.parameters}
    parts = (cell.dataset, cell.method, describe_parameters(named), label(cell.metric, spec))
    words = ", ".join(filter(None, parts))
    if standins.get(cell.dataset) == REPLICA or cell.metric in TIMES:
        return JudgedCell(cell, words, sample, CellVerdict.NOT_COMPARED)
    chosen = runs.of_cell(cell)
    if not len(chosen):
        hint = _misspelt(cell, runs)
        return JudgedCell(cell, words, sample, CellVerdict.MISSING, hint=hint)
    groups = runs.by_method(chosen)
    rivals = (*others, *runs.constants(cell, groups[0]))
    variants = [runs.compare(cell, sample, own, rivals) for own in groups]
    return JudgedCell(
        cell,
        words,
        sample,
        variants[0].verdict,
        tuple(variants),
        runs.experiment(cell, variants[0], groups[0][0]),
    )


def _misspelt(cell: PublishedCell, runs: _Runs) -> str:
    """A hint for a published cell without runs: its unknown name, and the nearest known name."""
    spec = runs.spec
    scores = {*spec.task.score_ranges, *([cell.metric] if cell.metric in runs.rows else [])}
    words = {
        "data set": (cell.dataset, {part.name for part in spec.datasets}),
        "method": (cell.method, {*spec.published_labels.values()}),
        "score": (cell.metric, scores),
    }
    found = [
        (f"no {noun} {word!r} here", _meaning(word, frozenset(known)))
        for noun, (word, known) in words.items()
        if word not in known
    ]
    return "; ".join(f"{unknown}: {meant}" for unknown, meant in found if meant)


_meaning = cache(meaning)  # many cells have the same unknown name


class _Runs:
    """The rows (one per run) of an artefact; values that several cells need are computed once."""

    def __init__(self, rows: pd.DataFrame, spec: Spec, keys: Sequence[str], levels: Levels) -> None:
        rows = with_axis_columns(rows, spec)
        self.rows = rows.assign(published_method=rows["method"].map(spec.published_labels))
        self.spec, self.keys, self.levels = spec, list(dict.fromkeys(keys)), levels
        options: list[str] = []
        for dataset in spec.datasets:
            options += dataset.options
        for method in spec.methods:
            options += method.params
        self.settings = [name for name in options if name in rows]
        columns = {"method", "published_method", "algorithm", "seed", *self.keys, *self.settings}
        self.values = {
            name: self.rows[name].to_numpy(dtype=object) for name in columns & {*self.rows}
        }
        self.labels = self.rows.index.tolist()
        self.places = self.rows.groupby(["dataset", "published_method"]).indices
        self.fitting: dict[tuple[str, Any], NDArray[np.bool_]] = {}
        self.columns: dict[str, NDArray[np.float64]] = {}
        self.deviations: dict[tuple[Any, ...], tuple[float, float]] = {}

    def of_cell(self, cell: PublishedCell) -> Positions:
        """The positions of the runs with the data set, method, parameters and score of a cell."""
        found: Positions = np.empty(0, dtype=np.intp)
        if cell.metric not in self.rows:
            return found
        found = np.asarray(self.places.get((cell.dataset, cell.method), found))
        for name, value in cell.parameters.items():
            found = found[self._fits(name, value)[found]] if name in self.rows else found
        has_score = ~np.isnan(self._scores(cell.metric)[found])
        return np.asarray(found[has_score])

    def by_method(self, runs: Positions) -> list[list[int]]:
        """The positions of the runs of each variant of a method, the default variant first."""
        methods, seeds = self.values["method"], self.values["seed"]
        groups: dict[str, list[int]] = {}
        for run in runs.tolist():
            groups.setdefault(methods[run], []).append(run)
        if any(len({seeds[run] for run in own}) < len(own) for own in groups.values()):
            name = methods[runs[0]]
            raise DpfairError(
                "a cell of published.csv must belong to one setting, but several settings of "
                f"{name} match: add parameters to the cell until one matches"
            )
        default = self.values["published_method"][runs[0]]
        return [groups[method] for method in sorted(groups, key=lambda name: name != default)]

    def compare(
        self, cell: PublishedCell, sample: Sample, runs: Sequence[int], rivals: Sequence[float]
    ) -> JudgedVariant:
        """The comparison of the runs of one variant with a published cell."""
        first, scores = runs[0], self._scores(cell.metric)[list(runs)]
        own = {key: self.values[key][first] for key in self.keys if key in self.values}
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
        method = str(self.values["method"][first])
        by_seed = np.argsort(self.values["seed"][list(runs)], kind="stable")
        return JudgedVariant(
            label=method,
            name=method.removeprefix(cell.method).removeprefix(", "),
            parameters=parameters,
            decision=decision,
            verdict=CellVerdict.RECORD_COUNT if is_count else decision.verdict,
            rows=tuple(self.labels[run] for run in runs),
            scores=tuple(scores[by_seed].tolist()),
        )

    def constants(self, cell: PublishedCell, runs: Sequence[int]) -> list[float]:
        """The values that a constant gives for a score: 0, and of accuracies that of the majority.

        The accuracy of the majority class is measured on the held-out records of the same runs.
        """
        if cell.metric not in ACCURACIES or MAJORITY not in self.rows:
            return [0.0]
        found = self._scores(MAJORITY)[list(runs)]
        return [0.0, mean(found)] if not np.isnan(found).any() else [0.0]

    def experiment(self, cell: PublishedCell, default: JudgedVariant, run: int) -> Experiment:
        """The experiment of a cell, from one run of the default variant."""
        settings = {name: self.values[name][run] for name in sorted(self.settings)}
        return Experiment(
            cell.dataset,
            self.values["algorithm"][run],
            cell.metric,
            cell.mean,
            None if math.isnan(cell.std) else cell.std,
            tuple((name, value) for name, value in settings.items() if pd.notna(value)),
            default.parameters.get(self.spec.curve, ""),
        )

    def _scores(self, metric: str) -> NDArray[np.float64]:
        """The score `metric` of each run, (runs,)."""
        if metric not in self.columns:
            self.columns[metric] = self.rows[metric].to_numpy(dtype=float)
        return self.columns[metric]

    def _fits(self, name: str, value: Any) -> NDArray[np.bool_]:
        """Whether each run has the value of the parameter `name`, (runs,)."""
        if (name, value) not in self.fitting:
            self.fitting[name, value] = has_values(self.rows, {name: value}).to_numpy()
        return self.fitting[name, value]

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
        runs = self.rows[has_values(self.rows, place)] if place else self.rows
        groups = runs.groupby(["dataset", "method", *self.spec.layout.axes], dropna=False)[metric]
        deviations = groups.std()
        return float(deviations.max()), float((deviations / groups.mean().abs()).max())
