"""The epsilon of DP-SGD by the central limit of Gaussian differential privacy.

The central limit is an approximation, and its epsilon is not a bound: the true one can be larger.
ficiu2023 states these numbers. No method of dpfair calibrates noise with them.

Source: Bu, Dong, Long and Su 2020, Corollary 4: DP-SGD with sampling rate q, T steps and noise
multiplier s is nearly as private as one Gaussian release that changes by q sqrt(T (exp(1/s^2) - 1))
standard deviations.
"""

from __future__ import annotations

import math

from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon


def central_limit_epsilon(steps: NoisySteps, delta: float) -> float:
    """The epsilon at `delta` by the central limit; 0 without steps and infinite without noise.

    >>> steps = NoisySteps(noise_multiplier=0.48, sampling_rate=1 / 1954, steps=195_400)
    >>> round(central_limit_epsilon(steps, 1e-5), 4)  # spent_epsilon has 11.07
    9.8047
    """
    if not steps.steps or math.isinf(steps.noise_multiplier):
        return 0.0
    if steps.noise_multiplier == 0:
        return math.inf
    moved = math.expm1(steps.noise_multiplier**-2)
    return gaussian_epsilon(delta, 1 / (steps.sampling_rate * math.sqrt(steps.steps * moved)))
