"""Numbers with noise, and the confidence intervals of their sums and differences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import scipy  # which imports `scipy.special` when it is used

LEVEL = 0.05  # of a two-sided interval, and of each of two one-sided tests


@dataclass(frozen=True)
class Number:
    """A published number or a mean of our runs, with its noise."""

    value: float  # the number
    std: float  # the standard deviation of one run; NaN if unknown, 0 for a number without chance
    runs: int  # the number of runs that are averaged
    # the number of runs that give the deviation, if these are other runs; 0 for the same runs
    std_runs: int = 0
    rounding: float = 0.0  # the largest error by rounding: half the last printed digit

    @property
    def variance(self) -> float:
        """The squared standard error of the mean; NaN if the noise is unknown."""
        return self.std**2 / self.runs if self.runs > 0 else math.nan

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of the deviation.

        They are infinite for a single run, whose deviation is known from elsewhere.
        """
        runs = self.std_runs or self.runs
        return runs - 1 if runs > 1 else math.inf


@dataclass(frozen=True)
class Interval:
    """A sum or a difference of numbers, with its noise."""

    value: float  # the sum
    # the standard error of the sum; NaN if the noise is unknown, 0 without chance
    standard_error: float
    degrees_of_freedom: float = math.inf  # the degrees of freedom of the standard error
    rounding: float = 0.0  # the largest error by rounding

    @property
    def is_known(self) -> bool:
        """Whether the noise is known."""
        return not math.isnan(self.standard_error)

    @property
    def has_chance(self) -> bool:
        """Whether the numbers contain chance; otherwise they can only be wrong by rounding."""
        return self.standard_error > 0

    @property
    def half_width(self) -> float:
        """Half the width of the 95 % confidence interval; without chance, the rounding alone.

        The result is NaN if the noise is unknown.
        """
        return self._half_width(LEVEL / 2)

    @property
    def contains_zero(self) -> bool:
        """Whether zero lies in the interval; false if the noise is unknown."""
        return abs(self.value) <= self.half_width

    def is_equivalent_to_zero(self, margin: float) -> bool:
        """Whether two one-sided tests at LEVEL show that the true value is less than a margin.

        That is so if the 90 % confidence interval lies within the margin (Schuirmann 1987). The
        result is false if the noise is unknown.
        """
        return abs(self.value) + self._half_width(LEVEL) < margin

    def _half_width(self, tail: float) -> float:
        """Half the width of the interval that leaves the probability `tail` on each side."""
        if not self.has_chance:
            return self.standard_error + self.rounding  # NaN stays NaN
        quantile = float(scipy.special.stdtrit(self.degrees_of_freedom, 1 - tail))
        return quantile * self.standard_error + self.rounding


def weighted_sum(parts: Iterable[tuple[float, Number]]) -> Interval:
    """The sum of independent numbers, each times its weight, with its noise.

    >>> weighted_sum([(1, Number(0.8, 0.0, 1, rounding=0.05)), (-1, Number(0.5, 0.0, 1))]).rounding
    0.05
    """
    parts = [(weight, number) for weight, number in parts if weight]
    value = float(sum(weight * number.value for weight, number in parts))
    rounding = sum(abs(weight) * number.rounding for weight, number in parts)
    variances = [(weight**2 * one.variance, one.degrees_of_freedom) for weight, one in parts]
    total = sum(variance for variance, _ in variances)
    # Welch and Satterthwaite: the degrees of freedom of a sum of variances
    divisor = sum(variance**2 / freedom for variance, freedom in variances if variance)
    freedom = total**2 / divisor if divisor > 0 else math.inf
    return Interval(value, math.sqrt(total), freedom, rounding)
