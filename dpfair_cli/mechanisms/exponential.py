"""The exponential mechanism: choose an outcome with probability growing in its score.

Source: McSherry and Talwar 2007; xu2021, Theorem 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.mechanisms.budget import require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import choose


def exponential(
    scores: ArrayLike, *, sensitivity: float, epsilon: float, rng: np.random.Generator
) -> int:
    """The index of one score, chosen with probability proportional to exp(epsilon score / (2
    sensitivity)).

    At epsilon = infinity, or sensitivity 0, it is the first of the largest scores.

    Raises:
        ValueError: epsilon is not positive, or the sensitivity is negative or infinite.
    """
    require_epsilon(epsilon)
    require_sensitivity(sensitivity)
    scores = np.asarray(scores, dtype=float)
    chosen, scale = choose(scores, 2 * sensitivity / epsilon, rng)
    return int(release("exponential", scores, chosen, sensitivity=sensitivity, scale=scale))
