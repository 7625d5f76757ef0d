"""Predicates about scores along an axis such as epsilon: `trend`, `slope`, `extreme`, `steeper`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.verdicts.claims.point_results import (
    ROUNDING,
    Deviation,
    NotTested,
    PointResult,
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
from dpfair_cli.verdicts.means import is_equal
from dpfair_cli.verdicts.wording import describe_parameters, format_number

SIGNS = {"rises": 1, "falls": -1}  # the sign of a rise


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

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve: the rise of a least-squares line from first to last place."""
        curves = _curves(self.trend, self.metric, runs, axes)
        rises = {name: _rises(curve) for name, curve in curves.items()}
        largest = largest_deviation(rises.values())
        return [self._result(name, curves[name], rises[name], largest) for name in curves]

    def _result(
        self, name: str, curve: pd.DataFrame, rises: Floats, deviation: Deviation
    ) -> PointResult:
        means = " ".join(f"{mean:.4f}" for mean in curve.mean())
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

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve: the slope of a least-squares line on log-log scales."""
        curves = _curves(self.slope, self.metric, runs, axes)
        slopes = {name: _log_slopes(name, curve) for name, curve in curves.items()}
        largest = largest_deviation(slopes.values())
        return [self._result(name, curves[name], slopes[name], largest) for name in curves]

    def _result(
        self, name: str, curve: pd.DataFrame, slopes: Floats, deviation: Deviation
    ) -> PointResult:
        first, last = (format_number(curve.columns[k]) for k in (0, -1))
        text = f"{name} {slopes.mean():+.3f} from {self.slope.along} {first} to {last}"
        excess, within = slopes.mean() - self.slope.near, self.slope.within
        error = standard_error(slopes, deviation)
        if self.slope.limit == "upper":
            return by_student(text, within - excess + ROUNDING, error)
        return by_student(text, within - abs(excess) + ROUNDING, error, within + abs(excess))


@dataclass(frozen=True)
class Place:
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

    extreme: Place
    """The methods, the axis and the place."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose scores are highest or lowest at the place."""
        return self.extreme.of

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis along which the predicate compares scores, such as epsilon."""
        return (self.extreme.along,)

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result for each curve and each place other than the claimed one."""
        curves = _curves(self.extreme, self.metric, runs, axes)
        results = []
        for name, curve in curves.items():
            gains = {place: self._gains(curve, place) for place in self._others(name, curve)}
            largest = largest_deviation(gains.values())
            results += [self._result(name, curve, place, gains[place], largest) for place in gains]
        return results

    def _others(self, name: str, curve: pd.DataFrame) -> list[Any]:
        """The places of a curve other than the claimed one.

        Raises:
            NotTested: the curve has no runs at the claimed place.
        """
        others = [place for place in curve if not is_equal(place, self.extreme.at)]
        if len(others) == curve.shape[1]:
            raise NotTested(f"{name} has no runs at {self.extreme.along} {self.extreme.at}")
        return others

    def _gains(self, curve: pd.DataFrame, place: Any) -> Floats:
        """The score at the claimed place minus the score at another, for each seed, (seeds,)."""
        claimed = next(one for one in curve if is_equal(one, self.extreme.at))
        sign = 1 if self.extreme.which == "highest" else -1
        gains: Floats = sign * (curve[claimed] - curve[place]).to_numpy(dtype=float)
        return gains

    def _result(
        self, name: str, curve: pd.DataFrame, place: Any, gains: Floats, deviation: Deviation
    ) -> PointResult:
        means = " ".join(f"{mean:.4f}" for mean in curve.mean())
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

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result for each pair of curves: the difference of the rises of their lines."""
        ours, theirs = (self._rises(method, runs, axes) for method in self.methods)
        largest = largest_deviation(rises.values for rises in [*ours.values(), *theirs.values()])
        common = [point for point in ours if point in theirs]
        return [self._result(point, ours[point], theirs[point], largest) for point in common]

    def _rises(self, method: str, runs: pd.DataFrame, axes: Sequence[str]) -> dict[str, Scores]:
        """The rise of a method's line for each seed, by point."""
        along = self.steeper.along
        curves = _curves(Rise((method,), along, self.steeper.direction), self.metric, runs, axes)
        sign = SIGNS[self.steeper.direction]
        return {
            name.removesuffix(f": {method}"): Scores(curve.index.to_numpy(), sign * _rises(curve))
            for name, curve in curves.items()
        }

    def _result(
        self, point: str, ours: Scores, theirs: Scores, deviation: Deviation
    ) -> PointResult:
        difference, error = difference_of(ours, theirs, deviation)
        asked, sign = self.steeper, SIGNS[self.steeper.direction]
        sides = f"{asked.of} {sign * ours.mean:+.4f}, {asked.than} {sign * theirs.mean:+.4f}"
        return by_student(f"{point}: fitted rises {sides}", difference - ROUNDING, error)


def _curves(
    asked: Rise | PowerLaw | Place, metric: str, runs: pd.DataFrame, axes: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """The scores of each method along an axis: point -> a column per axis value, a row per seed.

    Raises:
        NotTested: a curve has only one point, or no seed has all points of a curve.
    """
    others = [axis for axis in axes if axis != asked.along]
    curves = {}
    for method in asked.of:
        for point, found, part in runs_by_point(runs, method, metric, others):
            name = f"{point}: {method}"
            whole = found.iloc[part].pivot(index="seed", columns=asked.along, values=metric)
            curves[name] = _at_least_two(name, whole)
    return curves


def _rises(curve: pd.DataFrame) -> Floats:
    """The rise of the least-squares line through each seed's scores along an axis, (seeds,).

    A curve has a row per seed and a column per place on the axis.
    """
    places = curve.shape[1]
    return _line_slopes(np.arange(places, dtype=float), curve) * (places - 1)


def _log_slopes(name: str, curve: pd.DataFrame) -> Floats:
    """The slope of log score against log axis value for each seed (row) of a curve, (seeds,)."""
    if not (curve > 0).all().all():
        raise NotTested(f"all scores of {name} must be positive for a slope on logarithmic axes")
    return _line_slopes(np.log(curve.columns.to_numpy(dtype=float)), curve.map(math.log))


def _at_least_two(name: str, curve: pd.DataFrame) -> pd.DataFrame:
    """The rows of a curve, one per seed, without seeds that lack a score at some place.

    Raises:
        NotTested: the curve has only one point, or no seed has all points.
    """
    whole = curve.dropna()
    if curve.shape[1] < 2 or not len(whole):
        raise NotTested(
            f"{name} has {'one point only' if curve.shape[1] < 2 else 'no seed at all points'}"
        )
    return whole


def _line_slopes(x: Floats, curves: pd.DataFrame) -> Floats:
    """The slope of the least-squares line through each row of scores over `x`, (seeds,)."""
    centred = x - x.mean()
    return np.asarray(curves.to_numpy(dtype=float) @ centred / (centred @ centred))
