"""A mean of ours against a published one: reproduced, within noise, undecided, or it differs.

    reproduced     the means are at most 0.02 apart
    within noise   they are at most two standard errors of their difference apart
    undecided      two standard errors are more than 0.05 and the difference lies within them, or
                   there is one seed only. Beyond the published noise and 0.05 a cell differs,
                   however far our own runs lie apart: their spread excuses no more
    differs        they are further apart than that

Of scores that are no rates, such as norms, 0.02 is a tenth of the published value and 0.05 a
quarter of it. So a cell that passes (reproduced or within noise) is at most 0.05 from the published
value, and no cell passes that is 0.1 off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpfair_cli.verdicts.cells.verdict import CellVerdict

NEAR = 0.02  # of rates and accuracies, in their own unit
WIDEST = 0.05  # the half width of an interval that still tells something
RELATIVE_NEAR = 0.1  # of scores that are no rates, in parts of the published value
FEWEST = 3  # seeds whose own standard deviation counts; of fewer, the largest that is known
DIGITS = 12  # of a difference; the others are rounding


@dataclass(frozen=True)
class Sample:
    """A mean over runs."""

    mean: float
    """The mean of a score."""

    std: float
    """The standard deviation over the runs; NaN where it is not known."""

    runs: int
    """How many runs there are."""

    @property
    def variance(self) -> float:
        """The variance of the mean; a deviation that is not known counts as 0."""
        return 0.0 if math.isnan(self.std) else self.std**2 / self.runs


@dataclass(frozen=True)
class Comparison:
    """Ours against a published mean."""

    ours: Sample
    """Our runs."""

    published: Sample
    """The published mean with its deviation and number of runs."""

    spread: float = math.nan
    """The largest deviation known of this score, for fewer than three runs; NaN: not known."""

    relative: bool = False
    """Whether the score is not a rate, so that limits are parts of the published value."""

    @property
    def scale(self) -> float:
        """What 1 is for this score: limits are multiplied by it."""
        return RELATIVE_NEAR / NEAR * abs(self.published.mean) if self.relative else 1.0

    @property
    def signed(self) -> float:
        """Ours less published."""
        return self.ours.mean - self.published.mean

    @property
    def difference(self) -> float:
        """The absolute difference of the means."""
        return round(abs(self.signed), DIGITS)

    @property
    def noise(self) -> float:
        """Two standard errors of the difference."""
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
        """The largest difference that passes."""
        return max(NEAR * self.scale, min(self.noise, WIDEST * self.scale))

    @property
    def excused(self) -> float:
        """The largest difference that noise can explain, if ours explains at most WIDEST of it."""
        return min(self.noise, round(self.published_noise + WIDEST * self.scale, DIGITS))

    @property
    def verdict(self) -> CellVerdict:
        """What the comparison says."""
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
        """Why the verdict is what it is, as a sentence with its numbers."""
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
        """What would decide an undecided comparison, in words; empty for the others.

        Runs that borrow their spread are not asked for more than three seeds, which have one of
        their own.
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
        """Whether the deviation that counts is that of other runs."""
        known = self.ours.runs < FEWEST and not math.isnan(self.spread)
        return known and not self.ours.std >= self.spread

    @property
    def _deviation(self) -> float:
        """The standard deviation of our runs, the largest that is known if they are few."""
        return self.spread if self._borrows else self.ours.std

    @property
    def _variance(self) -> float:
        return Sample(self.ours.mean, self._deviation, self.ours.runs).variance
