"""The Gaussian mechanism, and three calibrations of its standard deviation to (epsilon, delta).

The exact privacy of Gaussian noise is known (Balle and Wang 2018, Theorem 8) and computed by
`gaussian_delta`. The classical calibration is private only up to epsilon 1. The extended
calibration is private for every epsilon, with more noise than necessary. The analytic calibration
is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy  # which imports `scipy.special` when it is used
from numpy.typing import ArrayLike

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.mechanisms.batches import ALL_RECORDS, Draw
from dpfair_cli.mechanisms.budget import require_delta, require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import add_normal, is_tensor

ROUNDING = 1e-15  # largest relative error of a term, such as a tail of the normal distribution
TOLERANCE = 1e-12  # largest error of a root; results are rounded up by TOLERANCE


def gaussian(
    value: ArrayLike,
    *,
    l2_sensitivity: float,
    sigma: float,
    draw: Draw = ALL_RECORDS,
    rng: np.random.Generator,
) -> Floats:
    """`value` plus independent normal noise of standard deviation `sigma`.

    The result is (epsilon, gaussian_delta(epsilon, sigma / l2_sensitivity))-DP for every epsilon.
    The privacy loss of releases on batches is computed by `accountant.spent_epsilon`.

    Args:
        value: The query's value, of any shape; a tensor of an accelerator stays there.
        l2_sensitivity: The largest L2 norm of the value's change between neighbours.
        sigma: The standard deviation of the noise.
        draw: How the batch that the value was computed from was sampled.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> sigma = analytic_sigma(l2_sensitivity=1, epsilon=1, delta=1e-5)
    >>> round(sigma, 2)
    3.73
    >>> gaussian([1.0, 2.0], l2_sensitivity=1, sigma=sigma, rng=default_rng(0)).shape
    (2,)
    """
    require_sensitivity(l2_sensitivity)
    if not 0 <= sigma < math.inf:
        raise ValueError(f"sigma must be finite and nonnegative, got {sigma}")
    values: Any = value if is_tensor(value) else np.asarray(value, dtype=float)
    noisy, scale = add_normal(values, sigma, l2_sensitivity, rng)
    return release(  # type: ignore[no-any-return]
        "gaussian", values, noisy, sensitivity=l2_sensitivity, scale=scale, draw=draw
    )


def gaussian_delta(epsilon: float, noise_multiplier: float) -> float:
    """The least delta with which Gaussian noise is (epsilon, delta)-DP, rounded up.

    The standard deviation of the noise is `noise_multiplier` times the sensitivity. The result is
    the exact one plus the largest rounding error of its two terms, so that no budget is exceeded.

    >>> round(gaussian_delta(0.0, 1.0), 4)  # the total variation distance of N(0, 1) and N(1, 1)
    0.3829
    """
    # the formula below would divide by 0 or subtract infinities
    if math.isinf(epsilon) or noise_multiplier == 0:
        return 0.0 if math.isinf(epsilon) else 1.0
    half, shift = 1 / (2 * noise_multiplier), epsilon * noise_multiplier
    first = scipy.special.ndtr(half - shift)
    # the logarithm, because exp(epsilon) overflows
    log_second = epsilon + scipy.special.log_ndtr(-half - shift)
    # an error of a logarithm is one of its exponential times its size
    rounding = ROUNDING * first * (1 + abs(log_second))
    return float(min(max(first - math.exp(log_second), 0.0) + rounding, 1.0))


def gaussian_epsilon(delta: float, noise_multiplier: float) -> float:
    """The least epsilon with which Gaussian noise is (epsilon, delta)-DP.

    The result is at most 2e-12 too large, and never too small.
    """
    require_delta(delta)
    if gaussian_delta(0.0, noise_multiplier) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(high, noise_multiplier) > delta:
        high *= 2
    root = _root(lambda epsilon: gaussian_delta(epsilon, noise_multiplier) - delta, 0.0, high)
    return root + TOLERANCE  # the root is within TOLERANCE, and must not be too small


def classical_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """The standard deviation of the classical calibration, for epsilon of at most 1.

    Raises:
        ValueError: 1 < epsilon < infinity, where the formula does not give (epsilon, delta)-DP.

    Source: Dwork and Roth 2014, Theorem A.1.
    """
    _require(l2_sensitivity, epsilon, delta)
    if 1 < epsilon < math.inf:
        raise ValueError(
            "epsilon must be at most 1 for the classical calibration of Gaussian noise, got "
            f"{epsilon}: set `calibration` to 'analytic'"
        )
    return math.sqrt(2 * math.log(1.25 / delta)) * l2_sensitivity / epsilon


def extended_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """The standard deviation of ding2020, Theorem 2 (Phan et al. 2019), valid for every epsilon."""
    _require(l2_sensitivity, epsilon, delta)
    if math.isinf(epsilon):
        return 0.0
    # the logarithm is positive for delta < sqrt(2 / pi); for a larger delta 0 is enough
    tail = max(math.log(math.sqrt(2 / math.pi) / delta), 0.0)
    unit = l2_sensitivity * math.sqrt(2) / (2 * epsilon)
    return unit * (math.sqrt(tail) + math.sqrt(tail + epsilon))


def analytic_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """The least standard deviation that is (epsilon, delta)-DP, rounded up.

    Source: Balle and Wang 2018, Algorithm 1.

    >>> round(analytic_sigma(l2_sensitivity=2, epsilon=1, delta=1e-5), 2)
    7.46
    """
    _require(l2_sensitivity, epsilon, delta)
    if math.isinf(epsilon) or l2_sensitivity == 0:
        return 0.0
    low, high = 1e-6, 1.0  # a multiplier that is too small, and one to double until it is enough
    while gaussian_delta(epsilon, high) > delta:
        low, high = high, 2 * high
    root = _root(lambda multiplier: gaussian_delta(epsilon, multiplier) - delta, low, high)
    return l2_sensitivity * (root + TOLERANCE)  # rounded up, as above


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq  # slow to import, and only calibrations need it

    return float(brentq(function, low, high, xtol=TOLERANCE))


def _require(l2_sensitivity: float, epsilon: float, delta: float) -> None:
    require_sensitivity(l2_sensitivity)
    require_epsilon(epsilon)
    require_delta(delta)


SigmaCalibration = Literal["extended", "classical", "analytic"]


@checked
def calibrated_sigma(
    calibration: SigmaCalibration, l2_sensitivity: float, epsilon: float, delta: float
) -> float:
    """The standard deviation that `calibration` gives for (epsilon, delta)."""
    formulas = {
        "extended": extended_sigma,
        "classical": classical_sigma,
        "analytic": analytic_sigma,
    }
    return formulas[calibration](l2_sensitivity, epsilon, delta)
