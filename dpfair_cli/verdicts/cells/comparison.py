"""Comparison of our mean with a published mean: reproduced, within noise, undecided or differs.

    reproduced     the means are at most 0.02 apart
    within noise   they are at most two standard errors of their difference apart
    undecided      two standard errors are more than 0.05 and more than the difference, and the
                   difference is at most two standard errors of the published mean plus 0.05; or
                   there is only one seed and the difference is not known to be too large
    differs        the means are further apart

For scores that are not rates, such as norms, the limits are a tenth (for 0.02) and a quarter (for
0.05) of the published value. A cell that passes (reproduced or within noise) is at most 0.05 from
the published value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpfair_cli.verdicts.cells.verdict import CellVerdict

NEAR = 0.02  # largest difference of a reproduced rate or accuracy
WIDEST = 0.05  # two standard errors above this limit are inconclusive
RELATIVE_NEAR = 0.1  # as NEAR, for scores that are not rates: share of the published value
FEWEST = 3  # seeds; with fewer, the largest known standard deviation is used
DIGITS = 12  # decimals of a difference that count; the rest is rounding


@dataclass(frozen=True)
class Sample:
    """The mean of a score over runs, with standard deviation and number of runs."""

    mean: float
    """The mean of a score."""

    std: float
    """The standard deviation over the runs; NaN if it is not known."""

    runs: int
    """The number of runs."""

    @property
    def variance(self) -> float:
        """The variance of the mean score over runs; an unknown standard deviation counts as 0."""
        return 0.0 if math.isnan(self.std) else self.std**2 / self.runs


@dataclass(frozen=True)
class Comparison:
    """Our mean compared with a published mean."""

    ours: Sample
    """Our runs."""

    published: Sample
    """The published mean with standard deviation and number of runs."""

    spread: float = math.nan
    """The largest known standard deviation of this score, for fewer than three runs; NaN: none."""

    relative: bool = False
    """Whether the score is not a rate: the limits are then shares of the published value."""

    @property
    def scale(self) -> float:
        """The factor of the limits of agreement: 1 for rates, else 5 times the published value."""
        return RELATIVE_NEAR / NEAR * abs(self.published.mean) if self.relative else 1.0

    @property
    def signed(self) -> float:
        """Our mean minus the published mean."""
        return self.ours.mean - self.published.mean

    @property
    def difference(self) -> float:
        """The absolute difference of our mean and the published mean."""
        return round(abs(self.signed), DIGITS)

    @property
    def noise(self) -> float:
        """Two standard errors of our mean minus the published mean."""
        return round(2 * math.sqrt(self._variance + self.published.variance), DIGITS)

    @property
    def our_noise(self) -> float:
        """Two standard errors of our mean."""
        return 2 * math.sqrt(self._variance)

    @property
    def published_noise(self) -> float:
        """Two standard errors of the published mean."""
        return 2 * math.sqrt(self.published.variance)

    @property
    def largest(self) -> float:
        """The largest difference of our mean and the published mean that counts as agreement."""
        return max(NEAR * self.scale, min(self.noise, WIDEST * self.scale))

    @property
    def excused(self) -> float:
        """The largest difference of the means that noise explains; our own share is limited."""
        return min(self.noise, round(self.published_noise + WIDEST * self.scale, DIGITS))

    @property
    def verdict(self) -> CellVerdict:
        """The verdict on our mean: reproduced, within noise, undecided or differs."""
        if self.ours.runs == 1:
            beyond = not math.isnan(self.spread) and self.difference > max(
                NEAR * self.scale, self.noise
            )
            return CellVerdict.DIFFERS if beyond else CellVerdict.UNDECIDED
        if self.noise > WIDEST * self.scale and self.difference <= self.excused:
            return CellVerdict.UNDECIDED
        if self.difference <= round(NEAR * self.scale, DIGITS):
            return CellVerdict.REPRODUCED
        return CellVerdict.WITHIN_NOISE if self.difference <= self.excused else CellVerdict.DIFFERS

    @property
    def rule(self) -> str:
        """The reason for the verdict on our mean, in words and numbers."""
        near, widest = NEAR * self.scale, WIDEST * self.scale
        apart = f"the means are {self.difference:.4f} apart"
        errors = f"two standard errors of their difference ({self.noise:.4f})"
        match self.verdict:
            case CellVerdict.REPRODUCED:
                return f"{apart}, at most {near:.4f}"
            case CellVerdict.WITHIN_NOISE:
                return f"{apart}, more than {near:.4f} and within {errors}"
            case CellVerdict.UNDECIDED if self.ours.runs == 1:
                return f"{apart}, and one run does not show how far runs lie apart"
            case CellVerdict.UNDECIDED:
                return (
                    f"{apart}, within {errors}, which are more than {widest:.4f}: too wide to tell"
                )
        if self.difference <= self.noise:
            noise = f"{self.published_noise:.4f} of the published noise and {widest:.4f} of ours"
            return f"{apart}, more than {noise}, the most that noise excuses"
        return f"{apart}, more than {near:.4f} and more than {errors}"

    @property
    def remedy(self) -> str:
        """What would decide an undecided comparison, in words; empty for other verdicts.

        If the standard deviation is that of other runs, the answer is three seeds at most, because
        three seeds have a standard deviation of their own.
        """
        if self.verdict is not CellVerdict.UNDECIDED:
            return ""
        room = (WIDEST * self.scale / 2) ** 2 - self.published.variance
        if room <= 0:
            return "the published standard deviation alone is too large"
        if math.isnan(self._deviation):
            return "one seed"
        seeds = max(2, math.ceil(round(self._deviation**2 / room, DIGITS // 2)))
        if self._borrows and seeds > FEWEST:
            needed = f"{FEWEST} seeds would have a spread of their own"
        else:
            needed = f"{seeds} seeds would decide"
        return needed if self.ours.runs > 1 else f"one seed; {needed}"

    @property
    def _borrows(self) -> bool:
        """Whether the standard deviation of other runs is used in place of that of our own runs."""
        known = self.ours.runs < FEWEST and not math.isnan(self.spread)
        return known and not self.ours.std >= self.spread

    @property
    def _deviation(self) -> float:
        """The standard deviation of our runs; for fewer than three runs, the largest known one."""
        return self.spread if self._borrows else self.ours.std

    @property
    def _variance(self) -> float:
        return Sample(self.ours.mean, self._deviation, self.ours.runs).variance
