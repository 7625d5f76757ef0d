"""The noise of several Gaussian releases that together cost exactly (epsilon, delta).

Releases on the same records with the noise multipliers m_1, ..., m_k, each of which may depend on
the earlier outputs, are together as private as one Gaussian release with the multiplier m, where
1 / m^2 = sum_i 1 / m_i^2.

Source: Dong, Roth and Su 2022, Theorem 2.7 and Corollary 3.3.
"""

from __future__ import annotations

import math

from dpfair_cli.mechanisms.gaussian import analytic_sigma


def shared_multipliers(epsilon: float, delta: float, *shares: float) -> list[float]:
    """The noise multiplier of each of several Gaussian releases, which together cost epsilon.

    The releases have `shares` of 1 / m^2, where m is the multiplier of one release that costs
    (epsilon, delta).

    Raises:
        ValueError: a share is not positive, or the shares do not add up to 1.

    >>> [round(m, 2) for m in shared_multipliers(1, 1e-6, 0.5, 0.5)]  # of one release: 4.22
    [5.97, 5.97]
    """
    if not all(share > 0 for share in shares) or not math.isclose(sum(shares), 1):
        raise ValueError(f"shares must be positive and add up to 1, got {shares}")
    alone = analytic_sigma(1.0, epsilon, delta)
    return [alone / math.sqrt(share) for share in shares]
