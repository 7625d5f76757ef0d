"""The predicates of claims: data, not code, each decided at every point (data set and remaining
axes) of the runs.

    {compare: [RFM, ">", FM], metric: accuracy, margin: 0.02}
    {trend: {of: RFM, along: delta, direction: rises}, metric: accuracy}
    {slope: {of: h_priv, along: epsilon, near: -1, within: 0.25}, metric: equalized_odds_gap}
    {spread: ["PDFC, age", "PDFC, race"], metric: accuracy, margin: 0.02}

`compare` sets a method against a method or a number ("~" is near: at most `margin` away), `trend`
is the rise of the least-squares line through the scores over the places of an axis, `slope` is how
steep they are on log-log axes, `spread` is the largest minus the smallest mean. With `times: 0.1`
the right side of `compare` is multiplied by 0.1 ("a tenth of"). With `across: DATASET` the right
side of `compare` is taken from that data set, at the same remaining axes.

Each gives an estimate and its standard error over the seeds, seed by seed where both sides have the
same. At a point a predicate holds where its estimate lies more than two standard errors on the
asked side, fails where it lies as far on the other side (further, by Bonferroni, if there are
several points: one of many may be unlucky), and is undecided in between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.verdicts.means import as_list, has_values, mean
from dpfair_cli.verdicts.point_results import (
    ERRORS,
    FALSE_ALARM,
    ROUNDING,
    NotTested,
    PointResult,
    largest_deviation,
    standard_error,
)
from dpfair_cli.verdicts.wording import describe_point, format_number

Predicate = Mapping[str, Any]
Positions = NDArray[np.intp]  # of runs


class Scores(NamedTuple):
    """The scores of runs, one a seed: the seeds and the values, both (seeds,)."""

    seeds: Ints
    values: Floats

    @property
    def mean(self) -> float:
        """Their mean."""
        return mean(self.values)


DIRECTIONS = {"rises": 1, "falls": -1}  # of a trend, and the sign of its rise
SLACK: dict[
    str, Callable[[float, float], float]
] = {  # of a comparison, from the difference of its means and a margin
    ">": lambda difference, margin: difference - margin - ROUNDING,
    "<": lambda difference, margin: -difference - margin - ROUNDING,
    ">=": lambda difference, margin: difference + margin + ROUNDING,
    "<=": lambda difference, margin: margin - difference + ROUNDING,
    "~": lambda difference, margin: margin - abs(difference) + ROUNDING,
}


def compare(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """A method against a method or a number, at each point that has both."""
    (left, _, right), metric = predicate["compare"], predicate["metric"]
    left_runs, right_runs = _sides(predicate, runs)
    ours = _scores_by_point(left_runs, left, metric, axes)
    if not isinstance(right, str):
        largest = largest_deviation(scores.values for scores in ours.values())
        return [_compare_means(predicate, point, ours[point], right, largest) for point in ours]
    times = predicate.get("times", 1)
    theirs = {
        point: Scores(scores.seeds, times * scores.values)
        for point, scores in _scores_by_point(right_runs, right, metric, axes).items()
    }
    largest = largest_deviation(scores.values for scores in (*ours.values(), *theirs.values()))
    return [
        _compare_means(predicate, point, ours[point], theirs[point], largest)
        for point in ours
        if point in theirs
    ]


def trend(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The scores of each method along an axis: they rise or fall."""
    asked = predicate["trend"]
    curves = {
        name: _at_least_two(name, curve)
        for name, curve in _curves(asked, predicate["metric"], runs, axes)
    }
    rises = {name: _rises(curve) for name, curve in curves.items()}
    largest = largest_deviation(rises.values())
    return [
        _decide_trend(name, curves[name], rises[name], asked["direction"], largest)
        for name in curves
    ]


def slope(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The slope of the scores of each method along an axis, both on log scales."""
    asked = predicate["slope"]
    curves = {
        name: _at_least_two(name, curve)
        for name, curve in _curves(asked, predicate["metric"], runs, axes)
    }
    slopes = {name: _log_slopes(name, curve) for name, curve in curves.items()}
    largest = largest_deviation(slopes.values())
    return [_decide_slope(name, curves[name], slopes[name], asked, largest) for name in curves]


def spread(predicate: Predicate, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
    """The largest minus the smallest mean among the methods, at each point that has them all."""
    scores = [
        _scores_by_point(runs, method, predicate["metric"], axes) for method in predicate["spread"]
    ]
    common = [point for point in scores[0] if all(point in others for others in scores)]
    samples = {point: [by_point[point] for by_point in scores] for point in common}
    largest = largest_deviation(scores.values for scores in chain.from_iterable(samples.values()))
    return [_decide_spread(predicate, point, samples[point], largest) for point in common]


class Kind(NamedTuple):
    """A kind of predicate: what decides it at every point, its form in words, and the parts of that
    form.

    `parts` are the keys of its mapping or the places of its list, `words` the words that one of
    them can be, and `more` says that a list may go on.
    """

    decide: Callable[[Predicate, pd.DataFrame, Sequence[str]], list[PointResult]]
    form: str
    parts: frozenset[str | int]
    words: Mapping[str | int, Collection[str]] = {}
    more: bool = False

    def mistake(self, asked: Any) -> str:
        """What is wrong with the form of what is asked; empty if nothing is."""
        given = (
            dict(enumerate(asked))
            if isinstance(asked, list)
            else asked
            if isinstance(asked, dict)
            else {}
        )
        if self.parts - given.keys() or (given.keys() - self.parts and not self.more):
            return f"{asked!r} is not of the form {self.form}"
        wrong = [
            (given[part], known) for part, known in self.words.items() if given[part] not in known
        ]
        return "".join(f"no {word!r} here: there are {', '.join(known)}" for word, known in wrong)


def _mapping(decide: Callable[..., list[PointResult]], **words: str) -> Kind:
    """The kind whose form is a mapping with these keys; of a key with several words it is one of
    them.
    """
    several: dict[str | int, Collection[str]] = {
        key: tuple(word.split(" or ")) for key, word in words.items() if " or " in word
    }
    form = ", ".join(f"{key}: {word}" for key, word in words.items())
    return Kind(decide, f"{{{form}}}", frozenset(words), several)


KINDS = {
    "compare": Kind(
        compare, "[METHOD, OPERATOR, METHOD or NUMBER]", frozenset({0, 1, 2}), {1: tuple(SLACK)}
    ),
    "trend": _mapping(trend, of="METHOD", along="PARAMETER", direction=" or ".join(DIRECTIONS)),
    "slope": _mapping(slope, of="METHOD", along="PARAMETER", near="NUMBER", within="NUMBER"),
    "spread": Kind(spread, "[METHOD, METHOD, ...]", frozenset({0, 1}), more=True),
}


def _runs_by_point(
    runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame, Positions]]:
    """The runs of a method that have the score, and which of them are at each point, described as a
    reader would.
    """
    found = runs[(runs["method"] == method) & runs[metric].notna()]
    if not len(found):
        raise NotTested(f"no rows of {method}")
    groups = found.groupby(["dataset", *axes], dropna=False).ngroup().to_numpy()
    parts = np.split(np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups))[:-1])
    columns = {axis: found[axis].to_numpy(dtype=object) for axis in axes}
    datasets = found["dataset"].to_numpy(dtype=object)
    for part in parts:
        first = part[0]
        values = {axis: column[first] for axis, column in columns.items()}
        yield describe_point(str(datasets[first]), values), found, part


def _scores_by_point(
    runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]
) -> dict[str, Scores]:
    """The scores of a method by seed, at each point."""
    points = _runs_by_point(runs, method, metric, axes)
    return {
        point: Scores(found["seed"].to_numpy()[part], found[metric].to_numpy(dtype=float)[part])
        for point, found, part in points
    }


def _curves(
    asked: Mapping[str, Any], metric: str, runs: pd.DataFrame, axes: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """The scores of each method along an axis (a column a value, a row a seed), at every point of
    the other axes.
    """
    others = [axis for axis in axes if axis != asked["along"]]
    for method in as_list(asked["of"]):
        for point, found, part in _runs_by_point(runs, method, metric, others):
            yield (
                f"{point}: {method}",
                found.iloc[part].pivot(index="seed", columns=asked["along"], values=metric),
            )


def _sides(predicate: Predicate, runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of both sides of a comparison; those `across` go under the name of the left side's
    data set.
    """
    if "across" not in predicate:
        return runs, runs
    dataset = predicate["where"]["dataset"]
    across = runs[runs["dataset"] == predicate["across"]]
    return runs[has_values(runs, {"dataset": dataset})], across.assign(dataset=dataset)


def _compare_means(
    predicate: Predicate, point: str, ours: Scores, theirs: Scores | float, deviation: float
) -> PointResult:
    """One comparison of two means, or of a mean with a number."""
    left, operator, right = predicate["compare"]
    difference, error = _difference(ours, theirs, deviation)
    slack = SLACK[operator](difference, predicate.get("margin", 0))
    right = f"{predicate['times']} times {right}" if "times" in predicate else right
    against = f"{right} {theirs.mean:.4f}" if isinstance(theirs, Scores) else f"{right}"
    return PointResult(f"{point}: {left} {ours.mean:.4f} {operator} {against}", slack, error)


def _difference(ours: Scores, theirs: Scores | float, deviation: float) -> tuple[float, float]:
    """The difference of two means and its standard error, seed by seed where both sides have the
    same seeds.
    """
    if not isinstance(theirs, Scores):
        return float(ours.mean) - theirs, standard_error(ours.values, deviation)
    difference = float(ours.mean - theirs.mean)
    if np.array_equal(np.sort(ours.seeds), np.sort(theirs.seeds)):
        one, other = (side.values[np.argsort(side.seeds)] for side in (ours, theirs))
        return difference, standard_error(one - other, math.sqrt(2) * deviation)
    return difference, math.hypot(
        *(standard_error(side.values, deviation) for side in (ours, theirs))
    )


def _rises(curve: pd.DataFrame) -> Floats:
    """How much the line through each seed's scores rises from the first place to the last,
    (seeds,).
    """
    places = curve.shape[1]
    return _line_slopes(np.arange(places, dtype=float), curve) * (places - 1)


def _log_slopes(name: str, curve: pd.DataFrame) -> Floats:
    """The slope of log score against log x of each seed, (seeds,)."""
    if not (curve > 0).all().all():
        raise NotTested(f"{name} has no slope on log axes: all its scores must be positive")
    return _line_slopes(np.log(curve.columns.to_numpy(dtype=float)), curve.map(math.log))


def _decide_trend(
    name: str, curve: pd.DataFrame, rises: Floats, direction: str, deviation: float
) -> PointResult:
    """Whether the scores rise or fall, as was asked."""
    sign = DIRECTIONS[direction]
    text = f"{name} {' '.join(f'{mean:.4f}' for mean in curve.mean())}; rise {rises.mean():+.4f}"
    return PointResult(text, sign * rises.mean() - ROUNDING, standard_error(rises, deviation))


def _decide_slope(
    name: str, curve: pd.DataFrame, slopes: Floats, asked: Mapping[str, Any], deviation: float
) -> PointResult:
    """Whether the slope is within a distance of the one asked for."""
    first, last = (format_number(curve.columns[k]) for k in (0, -1))
    text = f"{name} {slopes.mean():+.3f} from {asked['along']} {first} to {last}"
    slack = asked["within"] - abs(slopes.mean() - asked["near"]) + ROUNDING
    return PointResult(text, slack, standard_error(slopes, deviation))


def _at_least_two(name: str, curve: pd.DataFrame) -> pd.DataFrame:
    """The seeds that a curve has at all of its points.

    Raises:
        NotTested: the curve has one point only, or no seed is at all of them.
    """
    whole = curve.dropna()
    if curve.shape[1] < 2 or not len(whole):
        raise NotTested(
            f"{name} has {'one point only' if curve.shape[1] < 2 else 'no seed at all points'}"
        )
    return whole


def _line_slopes(x: Floats, curves: pd.DataFrame) -> Floats:
    """The slope of the least-squares line through each row, (seeds,)."""
    centred = x - x.mean()
    return np.asarray(curves.to_numpy(dtype=float) @ centred / (centred @ centred))


def _decide_spread(
    predicate: Predicate, point: str, samples: Sequence[Scores], deviation: float
) -> PointResult:
    """Whether the largest mean exceeds the smallest by more than the margin."""
    low, high = sorted(samples, key=lambda sample: sample.mean)[:: len(samples) - 1]
    difference, one = _difference(high, low, deviation)
    error = one * _selection(len(samples))
    text = f"{point}: from {low.mean:.4f} to {high.mean:.4f}"
    return PointResult(text, difference - predicate.get("margin", 0) - ROUNDING, error)


def _selection(methods: int) -> float:
    """By how much an error grows because the two that are furthest apart were picked: Bonferroni
    over the pairs.
    """
    return -float(ndtri(FALSE_ALARM / 2 / math.comb(methods, 2))) / ERRORS if methods > 2 else 1.0
