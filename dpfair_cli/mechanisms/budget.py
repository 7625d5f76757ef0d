"""Validation and arithmetic of privacy budgets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def require_epsilon(epsilon: float) -> None:
    """Refuses an epsilon that is NaN or not positive; infinity, without noise, is allowed."""
    if not epsilon > 0:  # `not >`: NaN is refused too
        raise ValueError(f"epsilon must be positive, got {epsilon}")


def require_delta(delta: float) -> None:
    """Refuses a delta outside the open interval (0, 1)."""
    if not 0 < delta < 1 or math.isnan(delta):
        raise ValueError(f"delta must be between 0 and 1, got {delta}")


def capped_delta(delta: float, n: int) -> float:
    """The smaller of delta and 1 / n^2.

    With a larger delta, publishing the record of one individual could count as private
    (mangold2023).
    """
    return min(delta, 1 / n**2)


def capped_delta_of_fitted(params: Mapping[str, Any], n: int) -> float:
    """The capped delta of a method that uses only the first `train_size` of n records."""
    # unused records do not make a delta safer
    return capped_delta(params["delta"], min(n, params.get("train_size", n)))


def require_sensitivity(sensitivity: float) -> None:
    """Refuses a sensitivity that is negative, infinite or NaN."""
    if not 0 <= sensitivity < math.inf:
        raise ValueError(f"sensitivity must be finite and nonnegative, got {sensitivity}")


def split_by_attribute(epsilon: float, ratio: float, share: float) -> tuple[float, float]:
    """The split (epsilon_s, epsilon_n) of epsilon with epsilon_s = ratio * epsilon_n.

    It satisfies share * epsilon_s + (1 - share) * epsilon_n = epsilon (ding2020, Algorithm 1, line
    25: share = 1 / d). `ratio` is in (0, 1], so that the feature with epsilon_s gets the larger
    noise.
    """
    epsilon_n = epsilon / (share * ratio + (1 - share))  # solves the two equations above
    return ratio * epsilon_n, epsilon_n
