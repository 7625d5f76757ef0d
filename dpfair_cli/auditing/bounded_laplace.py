"""Densities of the Laplace distribution that is restricted to an interval and renormalised.

diffprivlib implements this mechanism as LaplaceBoundedDomain (Holohan, Antonatos, Braghin and Mac
Aonghusa 2018). A recorded release holds the value and both ends of the interval. An end that is the
largest float, or minus the largest float, means infinity.
"""

from __future__ import annotations

from math import inf

import numpy as np
from scipy import stats

from dpfair_cli.contracts.arrays import Floats

FARTHEST = float(np.finfo(float).max)


def bounded_value(value: float, lower: float, upper: float) -> Floats:
    """The array (value, lower, upper), (3,), of a private value and an interval of outputs.

    The audit compares this array between neighbours. Infinite ends become large numbers.
    """
    return np.clip([value, lower, upper], -FARTHEST, FARTHEST)


def log_densities(held: Floats, scale: float) -> Floats:
    """The log densities of bounded Laplace noise at both ends of the interval, times `scale`, (2,).

    `held` is (value, lower end, upper end). Terms that neighbours share are left out. For two
    values with the same ends, the ratio of the densities is monotonic between the ends, so its
    largest and smallest values are at the ends.
    """
    value, lower, upper = _ends(held)
    low = -value if np.isinf(lower) else lower - value
    high = value if np.isinf(upper) else value - upper
    log_kept = np.log(_kept(value, lower, upper, scale))
    return np.asarray(np.array([low, high]) - scale * log_kept)


def distribution(output: float, held: Floats, scale: float) -> float:
    """The probability that bounded Laplace noise gives an output of at most `output`.

    `held` is (value, lower end, upper end of the interval of outputs).
    """
    value, lower, upper = _ends(held)
    below = _kept(value, lower, output, scale)
    return below / _kept(value, lower, upper, scale)


def log_density(output: float, held: Floats, scale: float) -> float:
    """The log density of an output of bounded Laplace noise, up to a constant.

    `held` is (value, lower end, upper end of the interval of outputs).
    """
    value, lower, upper = _ends(held)
    return float(-abs(output - value) / scale - np.log(_kept(value, lower, upper, scale)))


def _kept(value: float, lower: float, upper: float, scale: float) -> float:
    """The probability of the interval [lower, upper] under Laplace noise around `value`."""
    return float(stats.laplace.cdf(upper, value, scale) - stats.laplace.cdf(lower, value, scale))


def _ends(held: Floats) -> tuple[float, float, float]:
    value, lower, upper = map(float, held)
    lower = -inf if lower <= -FARTHEST else lower
    upper = inf if upper >= FARTHEST else upper
    return value, lower, upper
