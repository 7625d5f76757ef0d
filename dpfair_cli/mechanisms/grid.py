"""A grid with a spacing that is a power of two, on which values are rounded and noise is exact.

Floating-point noise distinguishes values: each of two neighbouring values has outputs that the
other cannot produce (Mironov 2012). Here a value x is rounded to x', the nearest multiple of the
spacing g; the noise is an integer z with exact probabilities; the output is x' + z g, rounded to a
double. Both x' and z g are doubles without rounding, so their sum as a double is the one nearest to
(x' / g + z) g: a function of the noisy integer x' / g + z alone. This is post-processing of a
mechanism on integers and has the privacy that the mechanism's proof gives.

The spacing depends on the scale of the noise and on nothing else, and is at most 2^-41 of it.
Rounding moves each value by g / 2 or less, so that neighbours may be g further apart in every
value; and a query, which is itself computed in floating point, may exceed its sensitivity by a
share SLACK. The scale of the noise is increased by both.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, frexp, ldexp

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.discrete import MOST_UNITS, UNIT

SLACK = 2.0**-20  # share of a sensitivity by which a floating-point query may exceed it
WHOLE = 2.0**52  # steps: every double from there on is a multiple of the step
# scales for which neither the step nor the noise leaves the range of doubles
SMALLEST, LARGEST = 2.0**-900, 2.0**900


@dataclass(frozen=True)
class Grid:
    """The multiples of `step`, for noise whose scale is a multiple of UNIT steps."""

    step: float
    """The spacing of the grid, a power of two."""

    @classmethod
    def for_scale(cls, scale: float) -> Grid:
        """The grid on which `scale` has between a quarter and a half of MOST_UNITS units.

        Raises:
            ValueError: the scale is out of range.
        """
        if not SMALLEST <= scale <= LARGEST:
            raise ValueError(
                f"the scale of secure noise must be from {SMALLEST:.0e} to {LARGEST:.0e}, "
                f"got {scale:g}"
            )
        return cls(ldexp(2 / MOST_UNITS / UNIT, frexp(scale)[1]))

    def units(self, scale: float) -> int:
        """The number of units, of UNIT steps each, in `scale`, rounded up.

        Raises:
            ValueError: there are more than MOST_UNITS: the scale is more than twice the one that
                the grid was made for.
        """
        units = scale / (UNIT * self.step)
        if not units <= MOST_UNITS:
            raise ValueError(
                "rounding the values to the grid would more than double the noise: release "
                "fewer values at once or use a larger epsilon"
            )
        return ceil(units)

    def nearest(self, values: Floats) -> Floats:
        """The nearest multiples of the step, of the same shape.

        Raises:
            ValueError: a value is not finite.
        """
        if not np.isfinite(values).all():
            raise ValueError("every released value must be finite, got NaN or infinity")
        rounds = np.abs(values) < WHOLE * self.step
        rounded = np.rint(np.where(rounds, values, 0) / self.step) * self.step
        return np.where(rounds, rounded, values)
