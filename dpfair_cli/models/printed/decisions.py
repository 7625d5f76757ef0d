"""The decisions of a statistical rule about comparisons of printed values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.results import NotSaved


@dataclass(frozen=True, eq=False)
class Decisions(NotSaved):
    """What a rule decides about each of n comparisons; a difference is the second minus the first.

    A comparison can be lower (or higher) and equivalent: a difference can be certain and small.
    """

    lower: Mask
    """Whether the second value is decided to be lower, (n,)."""
    higher: Mask
    """Whether the second value is decided to be higher, (n,)."""
    equivalent: Mask
    """Whether the two values are decided to be equal up to the margin, (n,)."""
    p: Floats
    """The p-values of the rule, before a correction, (n,)."""
    difference: Floats
    """The differences, (n,)."""
    half_width: Floats
    """Half of the widths of the intervals of the differences, (n,)."""
    power: Floats
    """The probabilities that equivalence is decided if the true difference is zero, (n,)."""
    runs_needed: Floats
    """The numbers of runs of each side with which this probability is at least 0.8, (n,)."""

    @property
    def undecided(self) -> Mask:
        """Whether the values are decided to be neither different nor equivalent, (n,)."""
        return np.asarray(~(self.lower | self.higher | self.equivalent))
