"""The Gaussian mechanism, and three ways to choose its deviation for a budget (epsilon, delta).

The exact privacy of Gaussian noise is known (Balle and Wang 2018, Theorem 8), so each calibration
can be compared with `gaussian_delta`: the classical one is valid up to epsilon 1 only, the extended
one always but loosely, the analytic one is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.mechanisms.batches import EVERYBODY, Draw
from dpfair_cli.mechanisms.budget import require_delta, require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import add_normal


def gaussian(
    value: ArrayLike,
    *,
    l2_sensitivity: float,
    sigma: float,
    draw: Draw = EVERYBODY,
    rng: np.random.Generator,
) -> Floats:
    """`value` plus independent normal noise of deviation `sigma`; its privacy is `gaussian_delta(.,
    sigma / l2)`.

    A value computed from one batch says so by its `draw`; its privacy is then that of
    `accountant.spent_epsilon`.

    Raises:
        ValueError: sigma or the sensitivity is negative or infinite.
    """
    require_sensitivity(l2_sensitivity)
    if not 0 <= sigma < math.inf:
        raise ValueError(f"sigma must be finite and not negative, got {sigma}")
    value = np.asarray(value, dtype=float)
    noisy, scale = add_normal(value, sigma, l2_sensitivity, rng)
    return release(  # type: ignore[no-any-return]
        "gaussian", value, noisy, sensitivity=l2_sensitivity, scale=scale, draw=draw
    )


def gaussian_delta(epsilon: float, noise_multiplier: float) -> float:
    """The least delta at which noise of `noise_multiplier` sensitivities is (epsilon, delta)-DP
    (Balle, Wang 2018).
    """
    if math.isinf(epsilon) or noise_multiplier == 0:
        return 0.0 if math.isinf(epsilon) else 1.0
    half, shift = 1 / (2 * noise_multiplier), epsilon * noise_multiplier
    return max(float(ndtr(half - shift) - math.exp(epsilon + log_ndtr(-half - shift))), 0.0)


def gaussian_epsilon(delta: float, noise_multiplier: float) -> float:
    """The least epsilon for which noise of `noise_multiplier` sensitivities is private at delta, on
    the safe side.
    """
    require_delta(delta)
    if gaussian_delta(0.0, noise_multiplier) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(high, noise_multiplier) > delta:
        high *= 2
    tolerance = 1e-12
    return (
        _root(
            lambda epsilon: gaussian_delta(epsilon, noise_multiplier) - delta, 0.0, high, tolerance
        )
        + tolerance
    )


def classical_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """sqrt(2 log(1.25 / delta)) * l2_sensitivity / epsilon (Dwork and Roth 2014, Theorem A.1);
    epsilon at most 1.

    Raises:
        ValueError: 1 < epsilon < infinity, where the formula does not give (epsilon, delta)-DP.
    """
    _require(l2_sensitivity, epsilon, delta)
    if 1 < epsilon < math.inf:
        raise ValueError(
            f"the classical Gaussian calibration holds for epsilon <= 1 only, got {epsilon}"
        )
    return math.sqrt(2 * math.log(1.25 / delta)) * l2_sensitivity / epsilon


def extended_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """The deviation of ding2020, Theorem 2 (Phan et al. 2019), valid for every epsilon."""
    _require(l2_sensitivity, epsilon, delta)
    if math.isinf(epsilon):
        return 0.0
    # below delta = sqrt(2 / pi) the logarithm is positive; above it the deviation that 0 gives is
    # already enough
    tail = max(math.log(math.sqrt(2 / math.pi) / delta), 0.0)
    return (
        l2_sensitivity
        * math.sqrt(2)
        / (2 * epsilon)
        * (math.sqrt(tail) + math.sqrt(tail + epsilon))
    )


def analytic_sigma(l2_sensitivity: float, epsilon: float, delta: float) -> float:
    """The least deviation that is (epsilon, delta)-DP (Balle and Wang 2018, Algorithm 1), rounded
    to the safe side.
    """
    _require(l2_sensitivity, epsilon, delta)
    if math.isinf(epsilon) or l2_sensitivity == 0:
        return 0.0
    low, high = 1e-6, 1.0
    while gaussian_delta(epsilon, high) > delta:
        low, high = high, 2 * high
    tolerance = 1e-12
    root = _root(
        lambda multiplier: gaussian_delta(epsilon, multiplier) - delta, low, high, tolerance
    )
    return l2_sensitivity * (root + tolerance)


def _root(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    from scipy.optimize import brentq  # slow to import, and only calibrations need it

    return float(brentq(function, low, high, xtol=tolerance))


def _require(l2_sensitivity: float, epsilon: float, delta: float) -> None:
    require_sensitivity(l2_sensitivity)
    require_epsilon(epsilon)
    require_delta(delta)


Calibration = Literal["extended", "classical", "analytic"]


@checked
def calibrated_sigma(
    calibration: Calibration, l2_sensitivity: float, epsilon: float, delta: float
) -> float:
    """The deviation that `calibration` gives for (epsilon, delta)."""
    formulas = {
        "extended": extended_sigma,
        "classical": classical_sigma,
        "analytic": analytic_sigma,
    }
    return formulas[calibration](l2_sensitivity, epsilon, delta)
