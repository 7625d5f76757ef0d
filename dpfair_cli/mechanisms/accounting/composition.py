"""Many releases, one budget: what several pure mechanisms cost together at a failure probability
delta.

Source: budgets add up (Dwork and Roth 2014, Theorem 3.16). epsilon-DP is epsilon^2 / 2
zero-concentrated DP, whose rhos add up, and rho is (rho + 2 sqrt(rho ln(1/delta)), delta)-DP (Bun
and Steinke 2016, Propositions 1.4, 1.3, Lemma 1.7).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from dpfair_cli.mechanisms.budget import require_delta, require_epsilon


def basic_composition(budgets: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """(epsilon, delta) of releases of these (epsilon, delta) on the same data, each with noise of
    its own: the sums.
    """
    epsilons, deltas = zip(*budgets, strict=True)
    return math.fsum(epsilons), math.fsum(deltas)


def composed_epsilon(parts: Iterable[float], delta: float) -> float:
    """The epsilon that adaptive releases of these pure epsilons cost together; delta 0 asks for
    their sum.
    """
    parts = list(parts)
    rho = sum(epsilon**2 for epsilon in parts) / 2
    if delta == 0 or math.isinf(rho):
        return sum(parts)
    require_delta(delta)
    return min(sum(parts), rho + 2 * math.sqrt(rho * math.log(1 / delta)))


def step_epsilon(epsilon: float, delta: float, steps: int) -> float:
    """The largest epsilon of each of `steps` releases that cost (epsilon, delta) together by
    `composed_epsilon`.
    """
    require_epsilon(epsilon)
    require_delta(delta)
    if math.isinf(epsilon):
        return math.inf
    log = math.log(1 / delta)
    rho = (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
    return max(epsilon / steps, math.sqrt(2 * rho / steps))
