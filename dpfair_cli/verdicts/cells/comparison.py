"""Comparison of our mean with a published mean: how large the difference is, and how certain.

Two means are *equivalent* if the difference is certainly smaller than a margin, and *different* if
it is certainly larger. The margin is 0.02 for a rate, and a tenth of the published value for any
other score, such as a norm. Both are decided by one-sided tests (Schuirmann 1987, "two one-sided
tests"): at the level 0.05, the means are equivalent if the 90 % confidence interval of the
difference lies within the margin, and different if the interval lies outside.

The standard error of the difference has a part of our mean and a part of the published mean. If a
paper prints no standard deviation, then ours stands for it, with the number of runs of the paper.

The rule then says of both means:

reproduced   they are equivalent, and ours is nearer to the published value than half the distance
from there to the next value that another method or a constant would give
consistent   they are equivalent, but another method or a constant would agree as well
undecided    neither test decides
differs      they are different

A number that is recomputed from the authors' files has no noise and no test: its digits are equal
if our mean and the published value differ by at most 1e-8, one unit of the last decimal that a
journal keeps.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import scipy  # which imports `scipy.special` when it is used

MARGIN = 0.02  # of rates and accuracies, in their own unit
RELATIVE_MARGIN = 0.1  # of scores that are not rates, in parts of the published value
LEVEL = 0.05  # of each one-sided test, so that the interval is the one of 90 %
FEWEST = 3  # seeds whose own standard deviation counts; of fewer, the largest that is known
DIGITS = 12  # of a difference; the others are rounding
LAST_DECIMAL = 1e-8  # that a journal keeps of a score
WIDER = 3.0  # published runs that vary so many times as much as ours make a difference fragile
MOST_SEEDS = 2_000  # beyond this number a cell counts as one that seeds cannot decide


class CellVerdict(StrEnum):
    """The verdict on a published cell, from best to worst."""

    REPRODUCED = "reproduced"
    CONSISTENT = "consistent"
    UNDECIDED = "undecided"
    DIFFERS = "differs"
    OTHER_PROTOCOL = "not the paper's protocol"  # no verdict follows from such runs
    EQUAL_DIGITS = "recomputed: equal digits"  # from the authors' files, without a test
    OTHER_DIGITS = "recomputed: other digits"
    MISSING = "missing"  # no run of ours has the cell
    NOT_RUN = "not run"  # missing, and a deviation gives the reason
    NOT_COMPARED = "not compared"  # the data are a replica, or the score is a time
    RECORD_COUNT = "record count"  # a number of records, which is true by construction

    @property
    def is_compared(self) -> bool:
        """Whether the verdict comes from comparing our mean with the published value."""
        return self.rank <= CellVerdict.DIFFERS.rank

    @property
    def is_recomputed(self) -> bool:
        """Whether the verdict is about digits that our runs recompute from the authors' files."""
        return self in (CellVerdict.EQUAL_DIGITS, CellVerdict.OTHER_DIGITS)

    @property
    def disagrees(self) -> bool:
        """Whether our mean is another one than the published value, by a test or in its digits."""
        return self in (CellVerdict.DIFFERS, CellVerdict.OTHER_DIGITS)

    @property
    def agrees(self) -> bool:
        """Whether our mean agrees with the published value."""
        return self.rank <= CellVerdict.CONSISTENT.rank

    @property
    def needs_deviation(self) -> bool:
        """Whether `dpfair check` fails if no deviation explains a cell with this verdict."""
        return self.disagrees or self is CellVerdict.MISSING

    @property
    def is_scored(self) -> bool:
        """Whether a cell with this verdict is counted on the scoreboard."""
        return self.rank <= CellVerdict.NOT_RUN.rank

    @property
    def rank(self) -> int:
        """The number of the verdict in the order from best to worst."""
        return RANKS[self]


RANKS = {verdict: rank for rank, verdict in enumerate(CellVerdict)}
COMPARED = [verdict for verdict in CellVerdict if verdict.is_compared]


@dataclass(frozen=True)
class Sample:
    """A mean over runs."""

    mean: float
    std: float  # over the runs; NaN if unknown
    runs: int

    @property
    def variance(self) -> float:
        """The squared standard error of the mean; 0 if the standard deviation is unknown."""
        return 0.0 if math.isnan(self.std) else self.std**2 / self.runs


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
        # rounded as the difference is: one that equals the margin must not seem larger
        return round(MARGIN * self.margin_factor * self.scale, DIGITS)

    @property
    def signed(self) -> float:
        """Our mean minus the published mean."""
        return self.ours.mean - self.published.mean

    @property
    def recomputed(self) -> CellVerdict:
        """The verdict on a number that our mean recomputes from the authors' files."""
        is_equal = abs(self.signed) <= LAST_DECIMAL
        return CellVerdict.EQUAL_DIGITS if is_equal else CellVerdict.OTHER_DIGITS

    @property
    def signed_scaled(self) -> float:
        """Our mean minus the published mean, in units in which the margin is MARGIN.

        The unit is that of the score for a rate, and five times the published value for others.
        """
        return self._scaled(self.signed)

    @property
    def half_width_scaled(self) -> float:
        """Half the width of the interval of the difference, in the same units; NaN if unknown."""
        return self._scaled(self.half_width)

    def _scaled(self, number: float) -> float:
        """A number divided by the scale; infinite with its sign if the scale is 0."""
        if math.isnan(number) or self.scale:  # it is 0 only for a published 0 that is no rate
            return number / (self.scale or 1.0)
        return math.copysign(math.inf, number) if number else 0.0

    @cached_property
    def difference(self) -> float:
        """The absolute difference of our mean and the published mean."""
        return round(abs(self.signed), DIGITS)

    @cached_property
    def standard_error(self) -> float:
        """The standard error of the difference of the means."""
        return math.sqrt(sum(self._variances))

    @property
    def half_width(self) -> float:
        """Half the width of the 90 % confidence interval of the difference; NaN if unknown."""
        if not self._has_interval:
            return math.nan
        quantile = float(scipy.special.stdtrit(self.degrees_of_freedom, 1 - LEVEL))
        return round(quantile * self.standard_error, DIGITS)

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
        return min(tails, 1.0)  # near a difference of 0 both tails together exceed 1

    @cached_property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of Student's distribution, by Welch and Satterthwaite.

        They are infinite for a standard deviation that is borrowed from other runs, and for a mean
        that cannot vary.
        """
        ours, theirs = self._variances
        if self._borrows or self.ours.runs == 1 or not ours + theirs:
            return math.inf
        if math.isnan(self.published.std):
            return self.ours.runs - 1
        return welch_freedom([(ours, self.ours.runs - 1), (theirs, self.published.runs - 1)])

    def seeds_to_decide(self, equivalent: float, different: float) -> int | None:
        """The least number of seeds with which one of both tests decides, each at its own level.

        Our mean and standard deviation are taken as they are. The result is None if no number of
        seeds up to MOST_SEEDS decides.
        """
        if not self._has_interval:
            return None
        numbers = range(2, MOST_SEEDS + 1)
        # the standard error falls with every seed, so that all numbers from the first one on may
        first = bisect_left(
            numbers,
            True,
            key=lambda seeds: self._with_seeds(seeds)._may_decide(equivalent, different),
        )
        # from below, because the p-values can rise again: the degrees of freedom fall if the
        # published standard deviation is of few runs
        for seeds in numbers[first:]:
            found = self._with_seeds(seeds)
            if found.p_equivalent <= equivalent or found.p_different <= different:
                return seeds
        return None

    def _may_decide(self, equivalent: float, different: float) -> bool:
        """Whether one of both tests would decide if the standard deviations were known exactly.

        Both p-values are at least as large as they would be then.
        """
        if not self.standard_error:
            return True
        ratio = round(self.margin - self.difference, DIGITS) / self.standard_error
        normal = scipy.special.stdtr(math.inf, [-ratio, ratio])
        return bool(normal[0] <= equivalent or normal[1] <= different)

    def _with_seeds(self, seeds: int) -> Comparison:
        # the deviation stays: nobody knows how more seeds would change it
        return replace(self, ours=Sample(self.ours.mean, self._deviation, seeds), spread=math.nan)

    @property
    def with_wider_published_runs(self) -> Comparison:
        """The same means if the published runs vary WIDER times as much as ours."""
        return replace(self, published=replace(self.published, std=WIDER * self._deviation))

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

    @cached_property
    def _variances(self) -> tuple[float, float]:
        """The squared standard errors of our mean and of the published one.

        If the paper prints no standard deviation, ours stands for it.
        """
        ours, published = replace(self.ours, std=self._deviation), self.published
        if math.isnan(published.std):
            published = replace(published, std=self._deviation)
        return ours.variance, published.variance

    def _tail(self, distance: float) -> float:
        """The probability that the estimated difference is too large by more than a distance."""
        distance = round(distance, DIGITS)
        return float(scipy.special.stdtr(self.degrees_of_freedom, -distance / self.standard_error))


def welch_freedom(parts: Sequence[tuple[float, float]]) -> float:
    """The degrees of freedom of a difference of means, by Welch 1947 and Satterthwaite 1946.

    `parts` are the squared standard error of each mean and its own degrees of freedom. A mean that
    cannot vary takes none; the deviation of a single run cannot be estimated from this run, so that
    it is known from elsewhere and counts as exact.
    """
    known = [(variance, freedom) for variance, freedom in parts if variance and freedom]
    weights = sum(variance**2 / freedom for variance, freedom in known)
    return sum(variance for variance, _ in parts) ** 2 / weights if weights else math.inf


@dataclass(frozen=True)
class Levels:
    """The significance levels of both tests of a paper; corrected for the number of its cells."""

    equivalent: float = LEVEL
    different: float = LEVEL


UNCORRECTED = Levels()  # of a single test


class Outlook(StrEnum):
    """What would decide an undecided comparison."""

    NEEDS_SEEDS = "needs seeds"  # more seeds of ours
    NOT_DECIDABLE = "not decidable"  # none: what is printed is too uncertain, or at the margin


@dataclass(frozen=True)
class Decision:
    """What the rule says of a comparison, and why."""

    comparison: Comparison
    rivals: Sequence[float] = ()  # what other methods and constants give in the place of the cell
    levels: Levels = UNCORRECTED

    @cached_property
    def verdict(self) -> CellVerdict:
        """What the comparison says."""
        # first, so that no cell both differs and agrees, whatever the levels
        if self.comparison.p_different <= self.levels.different:
            return CellVerdict.DIFFERS
        if self.comparison.p_equivalent > self.levels.equivalent:
            return CellVerdict.UNDECIDED
        return CellVerdict.REPRODUCED if self.is_told_apart else CellVerdict.CONSISTENT

    @property
    def is_told_apart(self) -> bool:
        """Whether our mean is nearer to the published value than to the middle to every rival."""
        return self.nearest_rival is None or self.comparison.difference < self.gap / 2

    @cached_property
    def nearest_rival(self) -> float | None:
        """The rival that is nearest to the published value; None without rivals."""
        published = self.comparison.published.mean
        return min(self.rivals, key=lambda rival: abs(rival - published), default=None)

    @property
    def gap(self) -> float:
        """The distance from the published value to the nearest rival; 0 without rivals."""
        rival = self.nearest_rival
        return 0.0 if rival is None else round(abs(rival - self.comparison.published.mean), DIGITS)

    @property
    def reason(self) -> str:
        """Why the verdict is what it is, as a sentence with its numbers."""
        one = self.comparison
        apart = f"the difference is {one.difference:.4f}"
        if one.ours.runs == 1 and self.verdict is CellVerdict.UNDECIDED:
            return f"{apart}, and one run does not show how much runs vary"
        away = f"{self.gap:.4f} away"
        apart_from = f", and the nearest other value is {away}" if self.rivals else ""
        beside = f", but another value is only {away} from the published value"
        outcomes = {
            CellVerdict.REPRODUCED: f"equivalent{apart_from}",
            CellVerdict.CONSISTENT: f"equivalent{beside}",
            CellVerdict.UNDECIDED: "neither equivalent nor different",
            CellVerdict.DIFFERS: "different",
        }
        interval = f"± {one.half_width:.4f} (90 % interval) and the margin is {one.margin:.4f}"
        return f"{apart} {interval}: {outcomes[self.verdict]}"

    @cached_property
    def is_fragile(self) -> bool:
        """Whether a difference hangs on the assumption that the published runs vary as ours do.

        Only where no standard deviation is published, ours stands for it.
        """
        if self.verdict is not CellVerdict.DIFFERS or not math.isnan(self.comparison.published.std):
            return False
        wider = replace(self, comparison=self.comparison.with_wider_published_runs)
        return wider.verdict is not CellVerdict.DIFFERS

    @property
    def outlook(self) -> Outlook:
        """Whether more seeds of ours would decide an undecided comparison."""
        needs = math.isnan(self.comparison.half_width) or self._seeds_to_decide is not None
        return Outlook.NEEDS_SEEDS if needs else Outlook.NOT_DECIDABLE

    @cached_property
    def _seeds_to_decide(self) -> int | None:
        return self.comparison.seeds_to_decide(self.levels.equivalent, self.levels.different)

    @cached_property
    def remedy(self) -> str:
        """What would decide an undecided comparison, in words; empty for the others."""
        if self.verdict is not CellVerdict.UNDECIDED:
            return ""
        if math.isnan(self.comparison.half_width):
            return "one more seed would show how much runs vary"
        seeds = self._seeds_to_decide
        if seeds is None:
            return f"no number of seeds up to {MOST_SEEDS:,} would decide"
        return f"{seeds:,} seeds would decide"
