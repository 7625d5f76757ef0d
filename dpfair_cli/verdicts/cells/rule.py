"""The rule of a verdict: equivalent, told apart from other values, different, or undecided.

reproduced   the means are equivalent, and ours is nearer to the published value than half the
distance from there to the next value that another method or a constant would give
consistent   the means are equivalent, but another method or a constant would agree as well
undecided    neither test decides
differs      the means are different
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dpfair_cli.verdicts.cells.comparison import DIGITS, LEVEL, MOST_SEEDS, Comparison
from dpfair_cli.verdicts.cells.verdict import CellVerdict


@dataclass(frozen=True)
class Levels:
    """The significance levels of both tests of a paper; corrected for the number of its cells."""

    equivalent: float = LEVEL
    different: float = LEVEL


UNCORRECTED = Levels()  # of a single test


@dataclass(frozen=True)
class Decision:
    """What the rule says of a comparison, and why."""

    comparison: Comparison
    rivals: Sequence[float] = ()  # what other methods and constants give in the place of the cell
    levels: Levels = UNCORRECTED

    @cached_property
    def verdict(self) -> CellVerdict:
        """What the comparison says."""
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
        tests = (
            f"{apart} ± {one.half_width:.4f} (90 % interval) and the margin is {one.margin:.4f}: "
        )
        match self.verdict:
            case CellVerdict.REPRODUCED:
                if self.nearest_rival is None:
                    return f"{tests}equivalent"
                return f"{tests}equivalent, and the nearest other value is {self.gap:.4f} away"
            case CellVerdict.CONSISTENT:
                other = f"another value is only {self.gap:.4f} away"
                return f"{tests}equivalent, but {other} from the published value"
            case CellVerdict.UNDECIDED:
                return f"{tests}neither equivalent nor different"
        return f"{tests}different"

    @property
    def remedy(self) -> str:
        """What would decide an undecided comparison, in words; empty for the others."""
        if self.verdict is not CellVerdict.UNDECIDED:
            return ""
        if math.isnan(self.comparison.half_width):
            return "one more seed would show how much runs vary"
        seeds = self.comparison.seeds_to_decide(self.levels.equivalent, self.levels.different)
        if seeds is None:
            return f"no number of seeds up to {MOST_SEEDS:,} would decide"
        return f"{seeds:,} seeds would decide"
