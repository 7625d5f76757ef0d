"""Predicates about scores along an axis such as epsilon: `trend`, `slope`, `extreme`, `steeper`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.verdicts.claims.point_results import (
    ROUNDING,
    NotTested,
    PointResult,
    SeedDeviation,
    by_student,
    largest_deviation,
    standard_error,
)
from dpfair_cli.verdicts.claims.predicate import (
    Names,
    Predicate,
    Scores,
    difference_of,
    runs_by_point,
)
from dpfair_cli.verdicts.claims.runs import Runs
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.wording import describe_parameters, format_number

SIGNS = {"rises": 1, "falls": -1}  # the sign of a rise


@dataclass(frozen=True, eq=False)
class Curve:
    """The scores of a method along an axis, of the seeds that have all of them."""

    places: tuple[Any, ...]
    """The values of the axis, in rising order."""

    seeds: Ints
    """The seeds, (seeds,)."""

    scores: Floats
    """The scores, (seeds, places)."""

    @property
    def means(self) -> Floats:
        """The mean over the seeds at each place, (places,)."""
        found: Floats = self.scores.mean(axis=0)
        return found


@dataclass(frozen=True)
class Rise:
    """The statement that scores of methods rise, or fall, along an axis such as epsilon."""

    of: Names
    """The methods."""

    along: str
    """The axis along which the scores rise or fall, such as epsilon."""

    direction: Literal["rises", "falls"]
    """Whether the scores must rise or fall."""


@dataclass(frozen=True, kw_only=True)
class Trend(Predicate):
    """The scores of each method along an axis rise or fall."""

    trend: Rise
    """The methods, the axis and the direction."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores rise or fall."""
        return self.trend.of

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis along which the scores rise or fall, such as epsilon."""
        return (self.trend.along,)

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve: the rise of a least-squares line from first to last place."""
        curves = _curves(self.trend, self.metric, runs, axes)
        rises = {name: _rises(curve) for name, curve in curves.items()}
        largest = largest_deviation(rises.values())
        return [self._result(name, curves[name], rises[name], largest) for name in curves]

    def _result(
        self, name: str, curve: Curve, rises: Floats, deviation: SeedDeviation
    ) -> PointResult:
        means = " ".join(f"{mean:.4f}" for mean in curve.means)
        slack = SIGNS[self.trend.direction] * rises.mean() - ROUNDING
        text = f"{name} {means}; fitted rise {rises.mean():+.4f}"
        return by_student(text, slack, standard_error(rises, deviation))


@dataclass(frozen=True)
class PowerLaw:
    """The statement that scores of methods follow a power of an axis, such as 1 / epsilon."""

    of: Names
    """The methods."""

    along: str
    """The axis."""

    near: float
    """The expected slope."""

    within: float
    """The largest allowed distance from the expected slope."""

    limit: Literal["both", "upper"] = "both"
    """Whether the slope may be far below the expected slope ("upper") or not."""


@dataclass(frozen=True, kw_only=True)
class Slope(Predicate):
    """The scores of each method along an axis follow a power law."""

    slope: PowerLaw
    """The methods, the axis and the expected slope."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores follow the power law."""
        return self.slope.of

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis along which the scores follow a power law, such as epsilon."""
        return (self.slope.along,)

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve: the slope of a least-squares line on log-log scales."""
        curves = _curves(self.slope, self.metric, runs, axes)
        slopes = {name: _log_slopes(name, curve) for name, curve in curves.items()}
        largest = largest_deviation(slopes.values())
        return [self._result(name, curves[name], slopes[name], largest) for name in curves]

    def _result(
        self, name: str, curve: Curve, slopes: Floats, deviation: SeedDeviation
    ) -> PointResult:
        first, last = (format_number(curve.places[k]) for k in (0, -1))
        text = f"{name} {slopes.mean():+.3f} from {self.slope.along} {first} to {last}"
        excess, within = slopes.mean() - self.slope.near, self.slope.within
        error = standard_error(slopes, deviation)
        if self.slope.limit == "upper":
            return by_student(text, within - excess + ROUNDING, error)
        return by_student(text, within - abs(excess) + ROUNDING, error, within + abs(excess))


@dataclass(frozen=True)
class PlaceOnAxis:
    """The statement that scores of methods are highest, or lowest, at one place of an axis."""

    of: Names
    """The methods."""

    along: str
    """The axis, such as the dimension of an embedding."""

    at: str | float
    """The place."""

    which: Literal["highest", "lowest"]
    """Whether the scores are highest or lowest at the place."""


@dataclass(frozen=True, kw_only=True)
class Extreme(Predicate):
    """The score of each method is highest, or lowest, at one place of an axis."""

    extreme: PlaceOnAxis
    """The methods, the axis and the place."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores are highest or lowest at the place."""
        return self.extreme.of

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis along which the predicate compares scores, such as epsilon."""
        return (self.extreme.along,)

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve and each place other than the claimed one."""
        curves = _curves(self.extreme, self.metric, runs, axes)
        results = []
        for name, curve in curves.items():
            gains = {place: self._gains(curve, place) for place in self._others(name, curve)}
            largest = largest_deviation(gains.values())
            results += [self._result(name, curve, place, gains[place], largest) for place in gains]
        return results

    def _others(self, name: str, curve: Curve) -> list[Any]:
        """The places of a curve other than the claimed one.

        Raises:
            NotTested: the curve has no runs at the claimed place.
        """
        others = [place for place in curve.places if not is_equal(place, self.extreme.at)]
        if len(others) == len(curve.places):
            raise NotTested(f"{name} has no runs at {self.extreme.along} {self.extreme.at}")
        return others

    def _gains(self, curve: Curve, place: Any) -> Floats:
        """The score at the claimed place minus the score at another, for each seed, (seeds,)."""
        claimed = next(k for k, one in enumerate(curve.places) if is_equal(one, self.extreme.at))
        sign = 1 if self.extreme.which == "highest" else -1
        other = curve.places.index(place)
        gains: Floats = sign * (curve.scores[:, claimed] - curve.scores[:, other])
        return gains

    def _result(
        self, name: str, curve: Curve, place: Any, gains: Floats, deviation: SeedDeviation
    ) -> PointResult:
        means = " ".join(f"{mean:.4f}" for mean in curve.means)
        at, other = (
            describe_parameters({self.extreme.along: one}) for one in (self.extreme.at, place)
        )
        text = f"{name} {means}; {at} against {other}"
        return by_student(text, gains.mean() - ROUNDING, standard_error(gains, deviation))


@dataclass(frozen=True)
class RiseOfTwo:
    """The statement that one method's scores rise, or fall, more than another's."""

    of: str
    """The method with the larger rise or fall."""

    than: str
    """The other method."""

    along: str
    """The axis along which the scores rise or fall, such as epsilon."""

    direction: Literal["rises", "falls"]
    """Whether the scores rise or fall."""


@dataclass(frozen=True, kw_only=True)
class Steeper(Predicate):
    """The scores of one method rise, or fall, more along an axis than those of another."""

    steeper: RiseOfTwo
    """The two methods, the axis and the direction."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The two methods."""
        return self.steeper.of, self.steeper.than

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis along which the scores rise or fall, such as epsilon."""
        return (self.steeper.along,)

    def decide(self, runs: Runs, axes: Sequence[str]) -> list[PointResult]:
        """The result for each pair of curves: the difference of the rises of their lines."""
        ours, theirs = (self._rises(method, runs, axes) for method in self.methods)
        largest = largest_deviation(rises.values for rises in [*ours.values(), *theirs.values()])
        common = [point for point in ours if point in theirs]
        return [self._result(point, ours[point], theirs[point], largest) for point in common]

    def _rises(self, method: str, runs: Runs, axes: Sequence[str]) -> dict[str, Scores]:
        """The rise of a method's line for each seed, by point."""
        along = self.steeper.along
        curves = _curves(Rise((method,), along, self.steeper.direction), self.metric, runs, axes)
        sign = SIGNS[self.steeper.direction]
        return {
            name.removesuffix(f": {method}"): Scores(curve.seeds, sign * _rises(curve))
            for name, curve in curves.items()
        }

    def _result(
        self, point: str, ours: Scores, theirs: Scores, deviation: SeedDeviation
    ) -> PointResult:
        difference, error = difference_of(ours, theirs, deviation)
        asked, sign = self.steeper, SIGNS[self.steeper.direction]
        sides = f"{asked.of} {sign * ours.mean:+.4f}, {asked.than} {sign * theirs.mean:+.4f}"
        return by_student(f"{point}: fitted rises {sides}", difference - ROUNDING, error)


def _curves(
    asked: Rise | PowerLaw | PlaceOnAxis, metric: str, runs: Runs, axes: Sequence[str]
) -> dict[str, Curve]:
    """The scores of each method along an axis, by point.

    Raises:
        NotTested: a curve has only one point, or no seed has all points of a curve.
    """
    others = [axis for axis in axes if axis != asked.along]
    curves = {}
    for method in asked.of:
        for point, found in runs_by_point(runs, method, metric, others):
            name = f"{point}: {method}"
            curves[name] = _curve(name, found, asked.along, metric)
    return curves


def _rises(curve: Curve) -> Floats:
    """The rise of the least-squares line through each seed's scores along an axis, (seeds,)."""
    places = len(curve.places)
    return _line_slopes(np.arange(places, dtype=float), curve.scores) * (places - 1)


def _log_slopes(name: str, curve: Curve) -> Floats:
    """The slope of log score against log axis value for each seed of a curve, (seeds,)."""
    if not (curve.scores > 0).all():
        raise NotTested(f"all scores of {name} must be positive for a slope on logarithmic axes")
    return _line_slopes(np.log(np.array(curve.places, dtype=float)), np.log(curve.scores))


def _curve(name: str, runs: Runs, along: str, metric: str) -> Curve:
    """The scores of the runs of one method along an axis, without seeds that lack some of them.

    Raises:
        NotTested: the curve has only one point, or no seed has all points.
        ValueError: two runs have one seed and one place.
    """
    seeds, row = np.unique(runs.seeds, return_inverse=True)
    _, first, column = np.unique(runs.ranks(along), return_index=True, return_inverse=True)
    if len(first) < 2:
        raise NotTested(f"{name} has one point only")
    if len({*zip(row.tolist(), column.tolist(), strict=True)}) < len(runs):
        raise ValueError(f"{name} has several runs with one seed at one value of {along}")
    scores = np.full((len(seeds), len(first)), math.nan)
    scores[row, column] = runs.numbers(metric)
    whole = ~np.isnan(scores).any(axis=1)
    if not whole.any():
        raise NotTested(f"{name} has no seed at all points")
    return Curve(tuple(runs.values(along)[first]), seeds[whole], scores[whole])


def _line_slopes(x: Floats, scores: Floats) -> Floats:
    """The slope of the least-squares line through each row of scores over `x`, (seeds,).

    `scores` is (seeds, places) and `x` is (places,).
    """
    centred = x - x.mean()
    return np.asarray(scores @ centred / (centred @ centred))
