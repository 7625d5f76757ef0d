"""Numbers with noise, and the confidence intervals of their sums and differences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import scipy  # which imports `scipy.special` when it is used

LEVEL = 0.05  # of a two-sided interval


@dataclass(frozen=True)
class Number:
    """A published number or a mean of our runs, with its noise."""

    value: float
    """The number."""

    std: float
    """The standard deviation of one run; NaN if unknown, 0 for a number without chance."""

    runs: int
    """The number of runs that are averaged."""

    std_runs: int = 0
    """The number of runs that give the deviation, if these are other runs; 0 for the same runs."""

    rounding: float = 0.0
    """The largest error by rounding: half the last printed digit."""

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
    """A sum or a difference of numbers, with its confidence interval."""

    value: float
    """The sum."""

    half_width: float
    """Half the width of the 95 % confidence interval; NaN if the noise is unknown."""

    @property
    def is_known(self) -> bool:
        """Whether the noise is known."""
        return not math.isnan(self.half_width)

    @property
    def contains_zero(self) -> bool:
        """Whether zero lies in the interval; false if the noise is unknown."""
        return abs(self.value) <= self.half_width


def weighted_sum(parts: Iterable[tuple[float, Number]]) -> Interval:
    """The sum of independent numbers, each times its weight, with its confidence interval.

    >>> weighted_sum([(1, Number(0.8, 0.0, 1, rounding=0.05)), (-1, Number(0.5, 0.0, 1))])
    Interval(value=0.30000000000000004, half_width=0.05)
    """
    parts = [(weight, number) for weight, number in parts if weight]
    value = float(sum(weight * number.value for weight, number in parts))
    rounding = sum(abs(weight) * number.rounding for weight, number in parts)
    variances = [(weight**2 * one.variance, one.degrees_of_freedom) for weight, one in parts]
    total = sum(variance for variance, _ in variances)
    if not total > 0:  # zero, or NaN
        return Interval(value, total + rounding)
    divisor = sum(variance**2 / freedom for variance, freedom in variances if variance)
    freedom = total**2 / divisor if divisor else math.inf
    quantile = scipy.special.stdtrit(freedom, 1 - LEVEL / 2)
    return Interval(value, float(quantile * math.sqrt(total)) + rounding)
