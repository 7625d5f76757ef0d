"""The scores of runs at the points of an artefact, and the tests of a predicate at one point.

A point is a data set with one value of each axis. The result of a predicate there is an estimate
with its standard error over the seeds, and with p-values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.verdicts.cells.comparison import FEWEST, welch_freedom
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, PValues
from dpfair_cli.verdicts.means import Runs, mean, standard_deviation
from dpfair_cli.verdicts.wording import describe_point

CONFIDENCE = 0.975  # quantile of the half width of the interval that a reason shows
ROUNDING = 1e-12  # relative difference of means that are equal up to rounding


class NotTested(Exception):  # noqa: N818 - a verdict, not an error
    """The reason why a claim cannot be decided on these rows, as an exception."""


class StandardError(NamedTuple):
    """The standard error of an estimate; for a single run, the standard deviation over seeds."""

    value: float  # infinite if it is not known
    freedom: float  # degrees of freedom of Student's t: for one sample, its seeds minus 1


Key = TypeVar("Key")
Side = TypeVar("Side", "Scores", "Scores | float")  # of a comparison
EXACT = StandardError(0.0, math.inf)
UNKNOWN = StandardError(math.inf, math.nan)


class Scores(NamedTuple):
    """The scores of runs, one per seed."""

    seeds: Ints  # (seeds,)
    values: Floats  # (seeds,)

    @property
    def mean(self) -> float:
        """The mean of the scores over the seeds."""
        return mean(self.values)

    def times(self, factor: float) -> Scores:
        """The scores multiplied by a factor."""
        return Scores(self.seeds, factor * self.values)


@dataclass(frozen=True)
class PointResult:
    """The result of a predicate (statement about mean scores) at one point, such as one epsilon."""

    text: str  # the point and its estimate, in words
    slack: float  # distance of the estimate from the limit; positive if the predicate is fulfilled
    p_values: PValues
    error: StandardError = EXACT

    def __str__(self) -> str:
        """The text of the result, followed by half the width of the 95 % confidence interval."""
        if math.isinf(self.error.value):
            return f"{self.text} (one seed)"
        if self.error.value <= ROUNDING:
            return self.text
        half_width = self.error.value * float(scipy.special.stdtrit(self.error.freedom, CONFIDENCE))
        return f"{self.text} (± {half_width:.4f})"

    def reason(self, levels: ClaimLevels) -> str:
        """The result in words, whatever the levels."""
        return str(self)

    @property
    def exact(self) -> PointResult:
        """The result if the estimate is the true value, whatever the seeds."""
        return PointResult(self.text, self.slack, student_test(self.slack, EXACT))


def by_student(
    text: str, slack: float, error: StandardError, opposite: float = math.inf
) -> PointResult:
    """The result of `student_test` at a point; `text` has the point and its estimate in words."""
    return PointResult(text, slack, student_test(slack, error, opposite), error)


def student_test(slack: float, error: StandardError, opposite: float = math.inf) -> PValues:
    """The p-values of one-sided tests with Student's t.

    `slack` is the distance of the estimate from the limit, positive if the predicate is fulfilled.
    If the claimed side is a range, `opposite` is the distance from its other limit.

    Examples:
        >>> student_test(2.92, StandardError(1.0, freedom=2))
        PValues(holds=0.04999..., fails=0.95000...)
    """
    if math.isinf(error.value):
        return PValues(1.0, 1.0)
    if error.value <= ROUNDING:  # no chance is involved
        return PValues(0.0, 1.0) if slack > 0 else PValues(1.0, 0.0)

    def below(distance: float) -> float:
        return float(scipy.special.stdtr(error.freedom, distance / error.value))

    return PValues(holds=below(-slack), fails=min(1.0, below(slack) + below(-opposite)))


def standard_error(values: Floats, largest: StandardError = UNKNOWN) -> StandardError:
    """The standard error of the mean of `values`, one per seed, (seeds,).

    For fewer than three seeds, the standard deviation is at least `largest`, the largest that is
    known. The result is infinite if neither deviation is known.
    """
    used = largest_deviation([values])
    # the deviation of one or two seeds is often far too small by chance
    if len(values) < FEWEST and math.isfinite(largest.value):
        used = largest if used is UNKNOWN else max(used, largest)
    return used._replace(value=used.value / math.sqrt(len(values)))


def largest_deviation(samples: Iterable[Floats]) -> StandardError:
    """The largest standard deviation of the samples of two or more values; UNKNOWN without any."""
    several = (sample for sample in samples if len(sample) > 1)
    known = (StandardError(float(standard_deviation(one)), len(one) - 1) for one in several)
    return max(known, default=UNKNOWN)


def means_of(samples: Mapping[Key, Floats]) -> Iterator[tuple[Key, float, StandardError]]:
    """Yields each name with the mean of its values, one per seed, and the standard error.

    Few seeds borrow the largest deviation of all samples.
    """
    largest = largest_deviation(samples.values())
    for name, values in samples.items():
        yield name, values.mean(), standard_error(values, largest)


def differences(
    ours: Mapping[str, Scores], theirs: Mapping[str, Side]
) -> Iterator[tuple[str, tuple[Scores, Side], float, StandardError]]:
    """Yields each point of both sides with its scores, the difference of means, and its error.

    Few seeds borrow the largest deviation of any point of any side.
    """
    sides = (*ours.values(), *theirs.values())
    largest = largest_deviation(one.values for one in sides if isinstance(one, Scores))
    for point in (point for point in ours if point in theirs):
        difference, error = difference_of(ours[point], theirs[point], largest)
        yield point, (ours[point], theirs[point]), difference, error


def difference_of(
    ours: Scores, theirs: Scores | float, deviation: StandardError
) -> tuple[float, StandardError]:
    """The difference of two means, and its standard error.

    Scores of equal seeds are paired if both sides have the same seeds. `deviation` is the largest
    standard deviation that is known.
    """
    if not isinstance(theirs, Scores):
        return float(ours.mean) - theirs, standard_error(ours.values, deviation)
    difference = float(ours.mean - theirs.mean)
    if np.array_equal(np.sort(ours.seeds), np.sort(theirs.seeds)):
        # what all runs of a seed share, such as the split, cancels in the difference of a pair
        one, other = (side.values[np.argsort(side.seeds)] for side in (ours, theirs))
        # of a difference of two independent scores
        doubled = deviation._replace(value=math.sqrt(2) * deviation.value)
        return difference, standard_error(one - other, doubled)
    return difference, error_of_difference(
        standard_error(ours.values, deviation), standard_error(theirs.values, deviation)
    )


def error_of_difference(one: StandardError, other: StandardError) -> StandardError:
    """The standard error of a difference of independent means."""
    value = math.hypot(one.value, other.value)
    if value == 0 or math.isinf(value):
        return StandardError(value, math.inf)
    parts = [(part.value**2, part.freedom) for part in (one, other)]
    return StandardError(value, welch_freedom(parts))


class Curve(NamedTuple):
    """The scores of a method along an axis, of the seeds that have all of them."""

    places: tuple[Any, ...]  # the values of the axis, in rising order
    seeds: Ints  # (seeds,)
    scores: Floats  # (seeds, places)

    @property
    def words(self) -> str:
        """The mean over the seeds at each place."""
        return " ".join(f"{mean:.4f}" for mean in self.scores.mean(axis=0))

    @property
    def rises(self) -> Floats:
        """The rise of the least-squares line through each seed's scores over places, (seeds,)."""
        # over places and not over values: epsilon 100 would outweigh all others
        last = len(self.places) - 1
        return least_squares_slopes(np.arange(last + 1, dtype=float), self.scores) * last


def least_squares_slopes(x: Floats, scores: Floats) -> Floats:
    """The slope of the least-squares line through each row of scores over `x`, (seeds,).

    `scores` is (seeds, places) and `x` is (places,).
    """
    centred = x - x.mean()  # (places,)
    return np.asarray(scores @ centred / (centred @ centred))


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """The runs that a predicate selects, and the score that it is about."""

    runs: Runs
    metric: str
    axes: Sequence[str]  # of the artefact; a point has one value of each

    def by_point(self, method: str) -> dict[str, Scores]:
        """The scores of a method at each point, one score per seed.

        Raises:
            NotTested: no run of the method has the score.
        """
        samples = {}
        for point, found in self._runs_by_point(method, self.axes):
            scores = found.numbers(self.metric)
            samples[point] = Scores(found.seeds, scores)
        return samples

    def curves(self, methods: Iterable[str], along: str) -> dict[str, Curve]:
        """The scores of each method along an axis, by point and method.

        Raises:
            NotTested: a curve has only one point, or no seed has all points of a curve.
        """
        others = [axis for axis in self.axes if axis != along]
        curves = {}
        for method in methods:
            for point, found in self._runs_by_point(method, others):
                name = f"{point}: {method}"
                curves[name] = self._curve(name, found, along)
        return curves

    def _runs_by_point(self, method: str, axes: Sequence[str]) -> Iterator[tuple[str, Runs]]:
        found = self.runs.of(method, self.metric)
        if not len(found):
            raise NotTested(f"the journal has no rows of {method}")
        for dataset, values, here in found.points(axes):
            yield describe_point(dataset, values), here

    def _curve(self, name: str, runs: Runs, along: str) -> Curve:
        """The scores of the runs of one method along an axis, without seeds that lack some."""
        seeds, row = np.unique(runs.seeds, return_inverse=True)
        _, first, column = np.unique(runs.ranks(along), return_index=True, return_inverse=True)
        if len(first) < 2:
            raise NotTested(f"{name} has one point only")
        if len({*zip(row.tolist(), column.tolist(), strict=True)}) < len(runs):
            raise ValueError(f"{name} has several runs with one seed at one value of {along}")
        scores = np.full((len(seeds), len(first)), math.nan)  # (seeds, places)
        scores[row, column] = runs.numbers(self.metric)
        # a seed that lacks a place would tilt the line by its level
        whole = ~np.isnan(scores).any(axis=1)
        if not whole.any():
            raise NotTested(f"{name} has no seed at all points")
        return Curve(tuple(runs.values(along)[first]), seeds[whole], scores[whole])
