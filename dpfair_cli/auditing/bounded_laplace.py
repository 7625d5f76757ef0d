"""The Laplace law cut off at the ends of an interval and scaled up again: what it gives away, and
its distribution.

diffprivlib has it as LaplaceBoundedDomain (Holohan, Antonatos, Braghin and Mac Aonghusa 2018). A
release holds the value, the lower and the upper end; an end that is the largest float, or its
negative, is infinitely far.
"""

from __future__ import annotations

from math import inf

import numpy as np
from scipy import stats

from dpfair_cli.contracts.arrays import Floats

FARTHEST = float(np.finfo(float).max)


def bounded_value(value: float, lower: float, upper: float) -> Floats:
    """What a release of this law holds, (3,), all of them finite."""
    return np.clip([value, lower, upper], -FARTHEST, FARTHEST)


def log_densities(held: Floats, scale: float) -> Floats:
    """Log densities (2,) at both ends, times the scale, up to what two values with the same ends
    share.

    Between two values, the ratio of densities is largest or smallest at an end: between the ends it
    is monotonic.
    """
    value, lower, upper = _ends(held)
    ends = [
        -value if np.isinf(lower) else lower - value,
        value if np.isinf(upper) else value - upper,
    ]
    return np.asarray(np.array(ends) - scale * np.log(_kept(value, lower, upper, scale)))


def distribution(output: float, held: Floats, scale: float) -> float:
    """The probability of an output of at most this."""
    value, lower, upper = _ends(held)
    start = stats.laplace.cdf(lower, value, scale)
    return float(
        (stats.laplace.cdf(output, value, scale) - start) / _kept(value, lower, upper, scale)
    )


def log_density(output: float, held: Floats, scale: float) -> float:
    """The log density of an output, up to a constant."""
    value, lower, upper = _ends(held)
    return float(-abs(output - value) / scale - np.log(_kept(value, lower, upper, scale)))


def _kept(value: float, lower: float, upper: float, scale: float) -> float:
    """The probability of the interval under the law that is not cut off."""
    return float(stats.laplace.cdf(upper, value, scale) - stats.laplace.cdf(lower, value, scale))


def _ends(held: Floats) -> tuple[float, float, float]:
    value, lower, upper = map(float, held)
    return value, -inf if lower <= -FARTHEST else lower, inf if upper >= FARTHEST else upper
