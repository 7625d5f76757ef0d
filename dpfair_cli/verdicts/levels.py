"""How near a mean of ours is to a published one: reproduced, within noise, undecided, or it
differs.

    reproduced     the means are at most 0.02 apart
    within noise   they are at most two standard errors of their difference apart
    undecided      two standard errors are more than 0.05, an interval wider than 0.1, in which the
    difference lies: too
                   wide to tell right from wrong; or there is one seed only. Beyond the published
                   noise and 0.05 it differs, however far our own runs lie apart: their spread
                   excuses no more
    differs        they are further apart than that

Of scores that are no rates, such as norms, 0.02 is a tenth of the published value and 0.05 a
quarter of it. So a cell that passes (reproduced or within noise) is at most 0.05 from the published
value, and no cell passes that is 0.1 off.

The cap on the spread of our own runs came when rows existed. It moved no default variant; of the
others it moved one from undecided to differs: "PrivPC, proved" in xu2021, Table 4.4, at 5 nodes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import pandas as pd

NEAR = 0.02  # of rates and accuracies, in their own unit
WIDEST = 0.05  # the half width of an interval that still tells something
RELATIVE_NEAR = 0.1  # of scores that are no rates, in parts of the published value
FEWEST = 3  # seeds whose own standard deviation counts; of fewer, the largest that is known
DIGITS = 12  # of a difference; the others are rounding


class Level(StrEnum):
    """What a comparison of two means says."""

    REPRODUCED = "reproduced"
    WITHIN_NOISE = "within noise"
    UNDECIDED = "undecided"
    DIFFERS = "differs"

    @property
    def passes(self) -> bool:
        """Whether the published value came out."""
        return self in PASSING


PASSING = (Level.REPRODUCED, Level.WITHIN_NOISE)


def passing(verdicts: pd.Series[str]) -> pd.Series[bool]:
    """Whether each verdict is one with which the published value came out."""
    return verdicts.isin(PASSING)


@dataclass(frozen=True)
class Sample:
    """A mean over runs, with their standard deviation; NaN where it is not known."""

    mean: float
    std: float
    runs: int

    @property
    def variance(self) -> float:
        """The variance of the mean; a deviation that is not known counts as 0."""
        return 0.0 if math.isnan(self.std) else self.std**2 / self.runs


@dataclass(frozen=True)
class Comparison:
    """Ours against a published mean.

    `spread` is the largest standard deviation over seeds that is known of this score, for samples
    of fewer than three runs, and NaN if none is; `relative` says that the score is no rate.
    """

    ours: Sample
    published: Sample
    spread: float = math.nan
    relative: bool = False

    @property
    def scale(self) -> float:
        """What 1 is for this score: limits are multiplied by it."""
        return RELATIVE_NEAR / NEAR * abs(self.published.mean) if self.relative else 1.0

    @property
    def difference(self) -> float:
        """The absolute difference of the means."""
        return round(abs(self.ours.mean - self.published.mean), DIGITS)

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
    def level(self) -> Level:
        """What the comparison says."""
        if self.ours.runs == 1:
            beyond = not math.isnan(self.spread) and self.difference > max(
                NEAR * self.scale, self.noise
            )
            return Level.DIFFERS if beyond else Level.UNDECIDED
        if self.noise > WIDEST * self.scale and self.difference <= self.excused:
            return Level.UNDECIDED
        if self.difference <= round(NEAR * self.scale, DIGITS):
            return Level.REPRODUCED
        return Level.WITHIN_NOISE if self.difference <= self.excused else Level.DIFFERS

    @property
    def remedy(self) -> str:
        """What would decide an undecided comparison, in words; empty for the others.

        Runs that borrow their spread are not asked for more than three seeds, which have one of
        their own.
        """
        if self.level is not Level.UNDECIDED:
            return ""
        room = (WIDEST * self.scale / 2) ** 2 - self.published.variance
        if room <= 0:
            return "the published spread alone is too wide"
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
