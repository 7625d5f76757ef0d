"""A grid with a spacing that is a power of two, on which values are rounded and noise is exact.

Ordinary floating-point noise is not private: each of two neighbouring values has outputs that the
other value cannot produce (Mironov 2012). Here a value x is rounded to x', the nearest multiple of
the spacing g. The noise is an integer z with exact probabilities. The output is x' + z g, rounded
to a double. Both x' and z g are exact doubles, and the output is therefore the double nearest to
(x' / g + z) g, which is a function of the noisy integer x' / g + z alone. The output is thus
post-processing of a mechanism on integers, and is as private as this mechanism.

The spacing depends only on the scale of the noise, and is at most 2^-41 of the scale. The scale of
the noise is increased for two reasons. Rounding moves each value by at most g / 2, and neighbours
can be g further apart in every value. A query, which is computed in floating point, may also exceed
its sensitivity by the share SLACK.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, frexp, ldexp

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
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
    @lru_cache
    def for_scale(cls, scale: float) -> Grid:
        """The grid for Laplace or normal noise of this scale.

        On the grid, `scale` has between a quarter and a half of MOST_UNITS units.

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
        """The scale in units of UNIT grid steps, rounded up.

        Raises:
            ValueError: there are more than MOST_UNITS units, because the scale is more than twice
                the scale that the grid was made for.
        """
        units = scale / (UNIT * self.step)
        if not units <= MOST_UNITS:
            raise ValueError(
                "secure noise for this release would be more than twice as large as ordinary "
                "noise: release fewer values at once or use a larger epsilon"
            )
        return ceil(units)

    def nearest(self, values: Floats) -> Floats:
        """The multiples of the grid step that are nearest to `values`, of the same shape.

        Raises:
            ValueError: a value is not finite.
        """
        return np.asarray(self.plus(values, 0))

    def plus(self, values: Floats, steps: Ints | int) -> Floats:
        """The multiples of the grid step nearest to `values`, plus `steps` times the grid step.

        Both arrays have the same shape. The sums are rounded to doubles.

        Raises:
            ValueError: a value is not finite.
        """
        step = np.asarray(self.step)  # faster than a number of Python if there are few values
        # the sum of squares bounds every square, also with rounding; false for NaN and infinity
        if np.vdot(values, values) < (WHOLE * self.step) * (WHOLE * self.step):
            near: Floats = (np.rint(values / step) + steps) * step
            return near
        if not np.isfinite(values).all():
            raise ValueError(
                "every value that a mechanism releases must be finite, got NaN or infinity"
            )
        rounds = np.abs(values) < WHOLE * self.step
        rounded = np.rint(np.where(rounds, values, 0) / self.step) * self.step
        far: Floats = np.where(rounds, rounded, values) + steps * step
        return far
