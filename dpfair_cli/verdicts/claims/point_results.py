"""The result of a predicate at one point: estimate, standard error over the seeds, p-values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.verdicts.cells.comparison import FEWEST
from dpfair_cli.verdicts.claims.verdict import PValues
from dpfair_cli.verdicts.means import deviation, mean

CONFIDENCE = 0.975  # quantile of the half width of the interval that a reason shows
ROUNDING = 1e-12  # relative difference of means that are equal up to rounding


class NotTested(Exception):  # noqa: N818 - a verdict, not an error
    """The reason why a claim cannot be decided on these rows, as an exception."""


class SeedDeviation(NamedTuple):
    """A standard deviation over seeds."""

    value: float  # NaN if it is not known
    freedom: float  # degrees of freedom: the number of seeds minus 1


UNKNOWN = SeedDeviation(math.nan, math.nan)


class StandardError(NamedTuple):
    """The standard error of an estimate."""

    value: float  # infinite if it is not known
    freedom: float  # degrees of freedom of Student's t


EXACT = StandardError(0.0, math.inf)


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

    @property
    def exact(self) -> PointResult:
        """The result if the estimate is the true value, whatever the seeds."""
        return by_student(self.text, self.slack, EXACT)


def by_student(
    text: str, slack: float, error: StandardError, opposite: float = math.inf
) -> PointResult:
    """The result of one-sided tests with Student's t at a point.

    Args:
        text: The point and its estimate, in words.
        slack: The distance of the estimate from the limit; positive if the predicate is fulfilled.
        error: The standard error of the estimate.
        opposite: The distance of the estimate from the other limit, if the claimed side is a range.
    """
    return PointResult(text, slack, student_test(slack, error, opposite), error)


def student_test(slack: float, error: StandardError, opposite: float = math.inf) -> PValues:
    """The p-values of one-sided tests with Student's t; parameters as in `by_student`.

    Examples:
        >>> student_test(2.92, StandardError(1.0, freedom=2))
        PValues(holds=0.04999..., fails=0.95000...)
    """
    if math.isinf(error.value):
        return PValues(1.0, 1.0)
    if error.value <= ROUNDING:
        return PValues(0.0, 1.0) if slack > 0 else PValues(1.0, 0.0)

    def below(distance: float) -> float:
        return float(scipy.special.stdtr(error.freedom, distance / error.value))

    return PValues(holds=below(-slack), fails=min(1.0, below(slack) + below(-opposite)))


def standard_error(values: Floats, largest: SeedDeviation = UNKNOWN) -> StandardError:
    """The standard error of the mean of `values`, one per seed, (seeds,).

    For fewer than three seeds, the standard deviation is at least `largest`, the largest that is
    known. The result is infinite if neither deviation is known.
    """
    own = SeedDeviation(float(deviation(values)), len(values) - 1)
    candidates = [own, largest] if len(values) < FEWEST else [own]
    known = [one for one in candidates if not math.isnan(one.value)]
    if not known:
        return StandardError(math.inf, math.nan)
    used = max(known)
    return StandardError(used.value / math.sqrt(len(values)), used.freedom)


def largest_deviation(samples: Iterable[Floats]) -> SeedDeviation:
    """The largest standard deviation of the samples of two or more values; UNKNOWN without any."""
    known = [
        SeedDeviation(float(deviation(sample)), len(sample) - 1)
        for sample in samples
        if len(sample) > 1
    ]
    return max(known, default=UNKNOWN)


def error_of_difference(one: StandardError, other: StandardError) -> StandardError:
    """The standard error of a difference of independent means.

    Source of the degrees of freedom: Welch 1947, Satterthwaite 1946.
    """
    value = math.hypot(one.value, other.value)
    if value == 0 or math.isinf(value):
        return StandardError(value, math.inf)
    shares = sum((part.value / value) ** 4 / part.freedom for part in (one, other) if part.value)
    return StandardError(value, 1 / shares)


def difference_of(
    ours: Scores, theirs: Scores | float, deviation: SeedDeviation
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
        doubled = deviation._replace(value=math.sqrt(2) * deviation.value)
        return difference, standard_error(one - other, doubled)
    return difference, error_of_difference(
        standard_error(ours.values, deviation), standard_error(theirs.values, deviation)
    )
