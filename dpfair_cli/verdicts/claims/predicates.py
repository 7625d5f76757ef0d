"""The predicates of claims: statements about mean scores that are written in claims.yaml.

    {compare: [RFM, ">", FM], metric: accuracy, margin: 0.02}
    {trend: {of: RFM, along: delta, direction: rises}, metric: accuracy}
    {slope: {of: h_priv, along: epsilon, near: -1, within: 0.25}, metric: equalized_odds_gap}
    {extreme: {of: DPNE, along: dimension, at: 100, which: highest}, metric: accuracy}
    {steeper: {of: PFLR, than: PFLR*, along: epsilon, direction: rises}, metric: accuracy}
    {nearer: {of: DPSGD-F, to: SGD, than: [DPSGD, Naive]}, metric: average_loss}
    {spread: ["PDFC, age", "PDFC, race"], metric: accuracy, margin: 0.02}
    {share: {of: theorem, least: 0.99, trials: 100}, metric: distance_within}

- `compare` compares a method with a method or a number ("~": at most `margin` apart). `times: 0.1`
  multiplies the right side by 0.1 ("a tenth of"). `across: DATASET` takes the right side from that
  data set, at the same values of the axes.
- `trend` is the rise of the least-squares line through the scores over the places of an axis.
- `slope` is the slope of this line on log-log axes.
- `extreme` compares the mean at one place of an axis with the mean at each other place: the first
  must be the highest, or the lowest.
- `steeper` compares the rises of two methods, as `trend` measures them.
- `nearer` compares the distances of methods from another method, seed by seed.
- `spread` is the largest minus the smallest mean of the methods.
- `share` is a share of successes over all runs, with `trials` trials in each run. The exact
  binomial test decides whether the probability of a success is at least `least`.

`where` selects the runs with the given values. The predicate is decided at each point of these
runs: a data set with one value of each axis that `along` does not name. `over` says at how many
points the predicate must hold: `every` one (the default), `most` (more than half) or `some`.

At a point, a predicate gives an estimate and its standard error over the seeds. If both sides have
the same seeds, the estimate is a mean of differences, one per seed. One-sided tests with Student's
t give two p-values: one against the statement, and one against its opposite. `p_values.py` says how
the p-values of several points are combined.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, permutations
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.conversion import ONE_OR_MORE
from dpfair_cli.verdicts.claims.p_values import PValues, at_least
from dpfair_cli.verdicts.claims.point_results import (
    ROUNDING,
    Deviation,
    NotTested,
    PointResult,
    StandardError,
    by_student,
    error_of_difference,
    largest_deviation,
    standard_error,
    student_test,
)
from dpfair_cli.verdicts.means import as_list, has_values, is_equal, mean
from dpfair_cli.verdicts.wording import describe_parameters, describe_point, format_number

Positions = NDArray[np.intp]  # positions of runs
Names = Annotated[tuple[str, ...], ONE_OR_MORE]
Operator = Literal[">", "<", ">=", "<=", "~"]


class Scores(NamedTuple):
    """The scores of runs, one per seed."""

    seeds: Ints
    values: Floats

    @property
    def mean(self) -> float:
        """The mean of the scores over the seeds."""
        return mean(self.values)

    def times(self, factor: float) -> Scores:
        """The scores multiplied by a factor."""
        return Scores(self.seeds, factor * self.values)


SIGNS = {"rises": 1, "falls": -1}  # the sign of a rise
SLACK: dict[
    str, Callable[[float, float], float]
] = {  # operator -> slack of a comparison, from the difference of the means and the margin
    ">": lambda difference, margin: difference - margin - ROUNDING,
    "<": lambda difference, margin: -difference - margin - ROUNDING,
    ">=": lambda difference, margin: difference + margin + ROUNDING,
    "<=": lambda difference, margin: margin - difference + ROUNDING,
    "~": lambda difference, margin: margin - abs(difference) + ROUNDING,
}


@dataclass(frozen=True, kw_only=True)
class Predicate(ABC):
    """A statement about means of a score."""

    metric: str
    """The score."""

    where: Mapping[str, Any] = field(default_factory=dict)
    """The values that the runs must have; a list stands for any of its values."""

    over: Literal["every", "most", "some"] = "every"
    """At how many points the predicate must hold."""

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate names."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes, such as epsilon, along which the predicate compares scores."""
        return ()

    @property
    def other_datasets(self) -> tuple[str, ...]:
        """The data sets that the predicate uses and does not name under its key `where`."""
        return ()

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets that the predicate names."""
        return (*as_list(self.where.get("dataset", [])), *self.other_datasets)

    @abstractmethod
    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result of the predicate at each point of the runs.

        Raises:
            NotTested: a method has no runs, or a line cannot be drawn through its scores.
        """

    def needed(self, points: int) -> int:
        """The number of points at which the predicate must hold."""
        return {"every": points, "most": points // 2 + 1, "some": 1}[self.over]


@dataclass(frozen=True, kw_only=True)
class Compare(Predicate):
    """A comparison of the mean score of a method with another method or a number."""

    compare: tuple[str, Operator, str | float]
    """The left side, the relation, and the right side."""

    margin: float = 0.0
    """By how much the left side must be ahead; with "~", the largest allowed distance."""

    times: float = 1.0
    """The factor of the right side."""

    across: str = ""
    """The data set of the right side; empty if both sides have the same data set."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate compares; a side that is a number is left out."""
        return tuple(side for side in self.compare[::2] if isinstance(side, str))

    @property
    def other_datasets(self) -> tuple[str, ...]:
        """The data set of the predicate's right side, if the predicate names one."""
        return (self.across,) if self.across else ()

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result of the comparison at each point with runs of both sides."""
        left, _, right = self.compare
        left_runs, right_runs = self._sides(runs)
        ours = _scores_by_point(left_runs, left, self.metric, axes)
        samples = [scores.values for scores in ours.values()]
        theirs: Mapping[str, Scores | float]
        if isinstance(right, str):
            found = _scores_by_point(right_runs, right, self.metric, axes)
            theirs = {point: scores.times(self.times) for point, scores in found.items()}
            samples += [scores.values * self.times for scores in found.values()]
        else:
            theirs = dict.fromkeys(ours, right)
        largest = largest_deviation(samples)
        return [
            self._result(point, ours[point], theirs[point], largest)
            for point in ours
            if point in theirs
        ]

    def _sides(self, runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The runs of the left and the right side of a comparison.

        Right-side runs from another data set get the name of the left data set.
        """
        if not self.across:
            return runs, runs
        dataset = self.where["dataset"]
        across = runs[runs["dataset"] == self.across]
        return runs[has_values(runs, {"dataset": dataset})], across.assign(dataset=dataset)

    def _result(
        self, point: str, ours: Scores, theirs: Scores | float, deviation: Deviation
    ) -> PointResult:
        left, operator, right = self.compare
        difference, error = _difference(ours, theirs, deviation)
        name = right if self.times == 1 else f"{self.times:g} times {right}"
        against = f"{name} {theirs.mean:.4f}" if isinstance(theirs, Scores) else f"{right:g}"
        text = f"{point}: {left} {ours.mean:.4f} {operator} {against}"
        opposite = self.margin + abs(difference) if operator == "~" else math.inf
        return by_student(text, SLACK[operator](difference, self.margin), error, opposite)


@dataclass(frozen=True)
class Rise:
    """The statement that scores of methods rise, or fall, along an axis such as epsilon."""

    of: Names
    """The methods."""

    along: str
    """The axis along which the scores rise or fall, such as epsilon."""

    direction: Literal["rises", "falls"]
    """Whether the scores must rise or fall."""


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
        text = f"{name} {means}; rise {rises.mean():+.4f}"
        return by_student(text, slack, standard_error(rises, deviation))


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


class AtLeastTwo:
    """The constraint of a parameter that it must have at least two values."""

    def problem(self, values: Sequence[str]) -> str:
        """The mistake in the values of a parameter, in words; empty if there is no mistake."""
        return "" if len(values) > 1 else "must name at least two methods"


@dataclass(frozen=True, kw_only=True)
class Spread(Predicate):
    """The largest minus the smallest mean of methods exceeds a margin."""

    spread: Annotated[tuple[str, ...], AtLeastTwo()]
    """The methods."""

    margin: float = 0.0
    """By how much the largest mean must exceed the smallest."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose largest and smallest mean the predicate compares."""
        return self.spread

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result at each point with runs of all methods: largest minus smallest mean."""
        scores = [_scores_by_point(runs, name, self.metric, axes) for name in self.spread]
        common = [point for point in scores[0] if all(point in others for others in scores)]
        samples = {point: [by_point[point] for by_point in scores] for point in common}
        every = chain.from_iterable(samples.values())
        largest = largest_deviation(scores.values for scores in every)
        return [self._result(point, samples[point], largest) for point in common]

    def _result(self, point: str, samples: Sequence[Scores], deviation: Deviation) -> PointResult:
        """The result at a point: some method exceeds some other method by more than the margin."""
        pairs = [_difference(*pair, deviation) for pair in permutations(samples, 2)]
        tests = [student_test(gap - self.margin - ROUNDING, error) for gap, error in pairs]
        means = [sample.mean for sample in samples]
        gap, error = max(pairs)
        text = f"{point}: from {min(means):.4f} to {max(means):.4f}"
        return PointResult(text, gap - self.margin - ROUNDING, at_least(1, tests), error)


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
        difference, error = _difference(ours, theirs, deviation)
        asked, sign = self.steeper, SIGNS[self.steeper.direction]
        sides = f"{asked.of} {sign * ours.mean:+.4f}, {asked.than} {sign * theirs.mean:+.4f}"
        return by_student(f"{point}: {sides}", difference - ROUNDING, error)


@dataclass(frozen=True)
class Distances:
    """The statement that one method is nearer to a reference than other methods."""

    of: str
    """The nearer method."""

    to: str
    """The reference."""

    than: Names
    """The other methods."""


@dataclass(frozen=True, kw_only=True)
class Nearer(Predicate):
    """The scores of a method are nearer to those of a reference than other methods' scores."""

    nearer: Distances
    """The method, the reference and the other methods."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that the predicate names."""
        return self.nearer.of, self.nearer.to, *self.nearer.than

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result at each point with runs of the three methods, for each other method."""
        asked = self.nearer
        own, reference = (
            _scores_by_point(runs, name, self.metric, axes) for name in (asked.of, asked.to)
        )
        results = []
        for name in asked.than:
            other = _scores_by_point(runs, name, self.metric, axes)
            common = [point for point in own if point in reference and point in other]
            ours = {point: _distances(own[point], reference[point]) for point in common}
            theirs = {point: _distances(other[point], reference[point]) for point in common}
            largest = largest_deviation(one.values for one in [*ours.values(), *theirs.values()])
            results += [
                self._result(point, name, ours[point], theirs[point], largest) for point in common
            ]
        return results

    def _result(
        self, point: str, name: str, ours: Scores, theirs: Scores, deviation: Deviation
    ) -> PointResult:
        difference, error = _difference(theirs, ours, deviation)
        asked = self.nearer
        text = f"{asked.of} {ours.mean:.4f} and {name} {theirs.mean:.4f} from {asked.to}"
        return by_student(f"{point}: {text}", difference - ROUNDING, error)


@dataclass(frozen=True)
class Successes:
    """The statement that a trial succeeds with at least some probability."""

    of: Names
    """The methods."""

    least: float
    """The smallest allowed probability of a success."""

    trials: int = 1
    """The number of independent trials of which each score is the share of successes."""


@dataclass(frozen=True, kw_only=True)
class Share(Predicate):
    """A score is a share of successes, and the probability of a success is large enough."""

    share: Successes
    """The methods, the probability and the number of trials in a run."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods whose share of successes the predicate tests."""
        return self.share.of

    def decide(self, runs: pd.DataFrame, axes: Sequence[str]) -> list[PointResult]:
        """The result of the exact binomial test at each point of each method."""
        results = []
        for method in self.share.of:
            scores = _scores_by_point(runs, method, self.metric, axes)
            results += [self._result(f"{point}: {method}", scores[point]) for point in scores]
        return results

    def _result(self, name: str, scores: Scores) -> PointResult:
        trials = len(scores.values) * self.share.trials
        successes = round(scores.mean * trials)
        least = self.share.least
        tests = PValues(
            holds=float(bdtrc(successes - 1, trials, least)) if successes else 1.0,
            fails=float(bdtr(successes, trials, least)),
        )
        text = f"{name} {successes} of {trials} are at least {least:g}"
        return PointResult(text, scores.mean - least + ROUNDING, tests)


def _runs_by_point(
    runs: pd.DataFrame, method: str, metric: str, axes: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame, Positions]]:
    """Yields each point with the runs of a method that have the score, and the point's positions.

    The positions are those of the point's runs among these runs.
    """
    found = runs[(runs["method"] == method) & runs[metric].notna()]
    if not len(found):
        raise NotTested(f"the journal has no rows of {method}")
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
    """The scores of a method at each point of the axes, one score per seed."""
    points = _runs_by_point(runs, method, metric, axes)
    return {
        point: Scores(found["seed"].to_numpy()[part], found[metric].to_numpy(dtype=float)[part])
        for point, found, part in points
    }


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
        for point, found, part in _runs_by_point(runs, method, metric, others):
            name = f"{point}: {method}"
            whole = found.iloc[part].pivot(index="seed", columns=asked.along, values=metric)
            curves[name] = _at_least_two(name, whole)
    return curves


def _difference(
    ours: Scores, theirs: Scores | float, deviation: Deviation
) -> tuple[float, StandardError]:
    """The difference of two means, and its standard error.

    Scores of equal seeds are paired if both sides have the same seeds. `deviation` is the largest
    standard deviation that is known.
    """
    if not isinstance(theirs, Scores):
        return float(ours.mean) - theirs, standard_error(ours.values, deviation)
    difference = float(ours.mean - theirs.mean)
    if np.array_equal(np.sort(ours.seeds), np.sort(theirs.seeds)):
        one, other = (side.values[np.argsort(side.seeds)] for side in (ours, theirs))
        doubled = deviation._replace(value=math.sqrt(2) * deviation.value)
        return difference, standard_error(one - other, doubled)
    return difference, error_of_difference(
        standard_error(ours.values, deviation), standard_error(theirs.values, deviation)
    )


def _distances(scores: Scores, reference: Scores) -> Scores:
    """The distance of each score from the score of a reference with the same seed.

    If the reference lacks the seed, the distance from the mean of the reference is taken.
    """
    known = dict(zip(reference.seeds.tolist(), reference.values, strict=True))
    centres = [known.get(seed, reference.mean) for seed in scores.seeds.tolist()]
    return Scores(scores.seeds, np.abs(scores.values - np.array(centres)))


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
