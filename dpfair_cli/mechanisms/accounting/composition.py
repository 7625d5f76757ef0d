"""Composition: the joint privacy loss of several pure mechanisms at a failure probability delta.

Source: the sum of epsilons (Dwork and Roth 2014, Theorem 3.16). Also, an epsilon-DP mechanism is
rho-zero-concentrated DP with rho = epsilon^2 / 2, the rhos of several mechanisms add up, and
rho-zero-concentrated DP is (rho + 2 sqrt(rho ln(1/delta)), delta)-DP (Bun and Steinke 2016,
Propositions 1.4, 1.3, Lemma 1.7).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from dpfair_cli.mechanisms.budget import require_delta, require_epsilon


def composed_epsilon(parts: Iterable[float], delta: float) -> float:
    """The joint epsilon at `delta` of several adaptive releases, given the pure epsilon of each.

    At delta 0 the result is the sum of the epsilons. Otherwise the result is the smaller of this
    sum and the bound by concentrated DP.

    >>> composed_epsilon([0.5, 0.5], delta=0)
    1.0
    >>> round(composed_epsilon([0.1] * 100, delta=1e-5), 2)  # their sum is 10
    5.3
    """
    parts = list(parts)
    # epsilon-DP is epsilon^2 / 2 zero-concentrated DP
    rho = sum(epsilon**2 for epsilon in parts) / 2
    if delta == 0 or math.isinf(rho):
        return sum(parts)
    require_delta(delta)
    return min(sum(parts), rho + 2 * math.sqrt(rho * math.log(1 / delta)))


def step_epsilon(epsilon: float, delta: float, steps: int) -> float:
    """The largest epsilon for each of `steps` releases that together cost (epsilon, delta).

    This is the inverse of `composed_epsilon` for equal parts.
    """
    require_epsilon(epsilon)
    require_delta(delta)
    if math.isinf(epsilon):
        return math.inf
    log = math.log(1 / delta)
    rho = (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2  # solves epsilon = rho + 2 sqrt(rho log)
    # each of both budgets holds, so the larger does
    return max(epsilon / steps, math.sqrt(2 * rho / steps))
