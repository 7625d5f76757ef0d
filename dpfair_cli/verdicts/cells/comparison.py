"""Comparison of our mean with a published mean: how large the difference is, and how certain.

Two means are *equivalent* if the difference is certainly smaller than a margin, and *different* if
it is certainly larger. The margin is 0.02 for a rate, and a tenth of the published value for any
other score, such as a norm. Both are decided by one-sided tests (Schuirmann 1987, "two one-sided
tests"): at the level 0.05, the means are equivalent if the 90 % confidence interval of the
difference lies within the margin, and different if the interval lies outside.

The standard error of the difference has a part of our mean and a part of the published mean. If a
paper prints no standard deviation, then ours stands for it, with the number of runs of the paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints, Mask

MARGIN = 0.02  # of rates and accuracies, in their own unit
RELATIVE_MARGIN = 0.1  # of scores that are not rates, in parts of the published value
LEVEL = 0.05  # of each one-sided test, so that the interval is the one of 90 %
FEWEST = 3  # seeds whose own standard deviation counts; of fewer, the largest that is known
DIGITS = 12  # of a difference; the others are rounding
MOST_SEEDS = 2_000  # beyond this number a cell counts as one that seeds cannot decide
SEARCH = (2, 20, 200, MOST_SEEDS + 1)  # ends of the numbers of seeds that are tried at one time


@dataclass(frozen=True)
class Sample:
    """A mean over runs."""

    mean: float
    std: float  # over the runs; NaN if unknown
    runs: int

    @property
    def variance(self) -> float:
        """The squared standard error of the mean; 0 if the standard deviation is unknown."""
        return _variance(self.std, self.runs)


@dataclass(frozen=True)
class Comparison:
    """Our mean and a published mean."""

    ours: Sample
    published: Sample
    spread: float = math.nan  # the largest known, for fewer than three runs; NaN: none
    relative: bool = False  # not a rate, so that the margin is a part of the published value
    margin_factor: float = 1.0  # not 1 to see how verdicts depend on the margin

    @property
    def scale(self) -> float:
        """The factor of all limits: 1 for a rate, five times the published value for others."""
        return RELATIVE_MARGIN / MARGIN * abs(self.published.mean) if self.relative else 1.0

    @cached_property
    def margin(self) -> float:
        """The largest difference of two means that count as the same number."""
        return round(MARGIN * self.margin_factor * self.scale, DIGITS)

    @property
    def signed(self) -> float:
        """Our mean minus the published mean."""
        return self.ours.mean - self.published.mean

    @cached_property
    def difference(self) -> float:
        """The absolute difference of our mean and the published mean."""
        return round(abs(self.signed), DIGITS)

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the difference of the means."""
        return math.sqrt(self._our_variance + self._published_variance)

    @property
    def half_width(self) -> float:
        """Half the width of the 90 % confidence interval of the difference; NaN if unknown."""
        if not self._has_interval:
            return math.nan
        return round(self._quantile(LEVEL) * self.standard_error, DIGITS)

    @cached_property
    def p_equivalent(self) -> float:
        """The p-value of the hypothesis that the difference is at least the margin.

        It is the larger one of two one-sided tests; 1 for a single run of ours.
        """
        if self.ours.runs == 1 or not self._has_interval:
            return 1.0
        if not self.standard_error:
            return 0.0 if self.difference <= self.margin else 1.0
        return self._tail(self.margin - self.difference)

    @cached_property
    def p_different(self) -> float:
        """The p-value of the hypothesis that the difference is at most the margin.

        The difference can exceed the margin on both sides, so that both tails count.
        """
        if not self._has_interval:
            return 1.0
        if not self.standard_error:
            return 0.0 if self.difference > self.margin else 1.0
        tails = self._tail(self.difference - self.margin) + self._tail(
            self.difference + self.margin
        )
        return min(tails, 1.0)

    @cached_property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of Student's distribution, by Welch and Satterthwaite.

        They are infinite for a standard deviation that is borrowed from other runs, and for a mean
        that cannot vary.
        """
        ours, theirs = self._our_variance, self._published_variance
        if self._borrows or self.ours.runs == 1 or not ours + theirs:
            return math.inf
        if math.isnan(self.published.std):
            return self.ours.runs - 1
        weights = _part(ours, self.ours.runs) + _part(theirs, self.published.runs)
        return (ours + theirs) ** 2 / weights if weights else math.inf

    def seeds_to_decide(self, equivalent: float, different: float) -> int | None:
        """The least number of seeds with which one of both tests decides, each at its own level.

        Our mean and standard deviation are taken as they are. The result is None if no number of
        seeds up to MOST_SEEDS decides. The search is from below, because the p-values can rise
        again: the degrees of freedom fall if the published standard deviation is of few runs.
        """
        if not self._has_interval or not self._can_be_decided(equivalent, different):
            return None
        for fewest, most in pairwise(SEARCH):
            seeds = np.arange(fewest, most)
            decides = self._decided_with(seeds, equivalent, different)
            if decides.any():
                return int(seeds[decides.argmax()])
        return None

    def _decided_with(self, seeds: Ints, equivalent: float, different: float) -> Mask:
        """Whether each number of seeds decides, with our mean and standard deviation as they are.

        The array has the shape of `seeds`, which are at least 2.
        """
        ours, theirs = self._deviation**2 / seeds, self._published_variance
        error = np.sqrt(ours + theirs)
        if not error.any():
            return np.ones(seeds.shape, dtype=bool)
        freedom = self._freedom_with(seeds, ours)

        def tail(distance: float) -> Floats:
            return np.asarray(scipy.special.stdtr(freedom, -round(distance, DIGITS) / error))

        p_equivalent = tail(self.margin - self.difference)
        p_different = tail(self.difference - self.margin) + tail(self.difference + self.margin)
        return np.asarray((p_equivalent <= equivalent) | (p_different <= different))

    def _freedom_with(self, seeds: Ints, ours: Floats) -> Floats:
        """The degrees of freedom with each number of seeds; `ours` are the variances of our mean.

        See `degrees_of_freedom`.
        """
        if math.isnan(self.published.std):
            return np.asarray(seeds - 1.0, dtype=float)
        theirs = self._published_variance
        weights = ours**2 / (seeds - 1) + _part(theirs, self.published.runs)
        known = weights > 0
        known_weights = np.where(known, weights, 1.0)
        return np.asarray(np.where(known, (ours + theirs) ** 2 / known_weights, math.inf))

    def _can_be_decided(self, equivalent: float, different: float) -> bool:
        """Whether MOST_SEEDS seeds would decide if no standard deviation had to be estimated.

        If not, no smaller number does: both p-values are then at least as large.
        """
        ours = Sample(self.ours.mean, self._deviation, MOST_SEEDS)
        error = replace(self, ours=ours, spread=math.nan).standard_error
        if not error:
            return True
        distance = round(self.margin - self.difference, DIGITS)
        normal = scipy.special.stdtr(math.inf, [-distance / error, distance / error])
        return bool(normal[0] <= equivalent or normal[1] <= different)

    @property
    def _has_interval(self) -> bool:
        """Whether a standard deviation of our runs is known."""
        return not math.isnan(self._deviation)

    @property
    def _borrows(self) -> bool:
        """Whether the standard deviation that counts is that of other runs."""
        known = self.ours.runs < FEWEST and not math.isnan(self.spread)
        return known and not self.ours.std >= self.spread

    @cached_property
    def _deviation(self) -> float:
        """The standard deviation of our runs, the largest that is known if they are few."""
        return self.spread if self._borrows else self.ours.std

    @property
    def _our_variance(self) -> float:
        return _variance(self._deviation, self.ours.runs)

    @property
    def _published_variance(self) -> float:
        known = self.published.std
        deviation = self._deviation if math.isnan(known) else known
        return _variance(deviation, self.published.runs)

    def _tail(self, distance: float) -> float:
        """The probability that the estimated difference is too large by more than a distance."""
        distance = round(distance, DIGITS)
        return float(scipy.special.stdtr(self.degrees_of_freedom, -distance / self.standard_error))

    def _quantile(self, level: float) -> float:
        return float(scipy.special.stdtrit(self.degrees_of_freedom, 1 - level))


def _variance(std: float, runs: int) -> float:
    """The squared standard error of a mean; 0 if the standard deviation is unknown."""
    return 0.0 if math.isnan(std) else std**2 / runs


def _part(variance: float, runs: int) -> float:
    """The share of one mean in the denominator of the formula of Welch and Satterthwaite.

    The standard deviation of a single run cannot be estimated from this run, so that it is known
    from elsewhere and counts as exact.
    """
    return variance**2 / (runs - 1) if runs > 1 else 0.0
