"""A grid of numbers, a power of two apart, on which values are rounded and noise is exact.

Noise in floating point tells values apart: of two neighbouring values each has outputs that the
other cannot give (Mironov 2012). Here a value x becomes x', the nearest multiple of a step g; the
noise is a whole number z of steps with exact probabilities; and x' + z g, rounded to a double, is
what leaves. Both x' and z g are doubles without rounding, so their sum as a double is the one next
to (x' / g + z) g: a function of the noisy whole number x' / g + z alone, which is post-processing
of a mechanism on whole numbers and has the privacy that its proof says.

The step depends on the scale of the noise and on nothing else, and is at most 2^-41 of it. Rounding
moves each value by g / 2 or less, so that neighbours may be g further apart in every value; and a
query, itself computed in floating point, is trusted to keep its sensitivity within SLACK of it. The
noise is that much larger.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, frexp, ldexp

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.discrete import MOST_UNITS, UNIT

SLACK = 2.0**-20  # of a sensitivity
WHOLE = 2.0**52  # steps: a double from there on is a multiple of the step
SMALLEST, LARGEST = (
    2.0**-900,
    2.0**900,
)  # scales for which neither the step nor the noise leaves the range of doubles


@dataclass(frozen=True)
class Grid:
    """The multiples of `step`, for noise of scales that are multiples of UNIT steps."""

    step: float

    @classmethod
    def for_scale(cls, scale: float) -> Grid:
        """The grid on which `scale` is at least a quarter and less than half of the most units that
        a scale may have.

        Raises:
            ValueError: the scale is out of range.
        """
        if not SMALLEST <= scale <= LARGEST:
            raise ValueError(
                f"secure noise needs a scale between {SMALLEST:.0e} and {LARGEST:.0e}, got {scale:g}"
            )
        return cls(ldexp(2 / MOST_UNITS / UNIT, frexp(scale)[1]))

    def units(self, scale: float) -> int:
        """How many units of UNIT steps `scale` has at least.

        Raises:
            ValueError: more than noise may have: the scale is more than twice the one that the grid
                is for.
        """
        units = scale / (UNIT * self.step)
        if not units <= MOST_UNITS:
            raise ValueError(
                "secure noise on so many values at so small an epsilon would more than double in rounding"
            )
        return ceil(units)

    def nearest(self, values: Floats) -> Floats:
        """The nearest multiples of the step, of the same shape.

        Raises:
            ValueError: a value is not finite.
        """
        if not np.isfinite(values).all():
            raise ValueError("a value to be released is not finite")
        rounds = np.abs(values) < WHOLE * self.step
        return np.where(
            rounds, np.rint(np.where(rounds, values, 0) / self.step) * self.step, values
        )
