"""The exponential mechanism: chooses an outcome with a probability that grows with its score.

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
    """The index of an outcome, drawn by the exponential mechanism.

    The probability of an outcome is proportional to exp(epsilon * score/(2 * sensitivity)). At
    epsilon = infinity or sensitivity 0, the result is the first outcome with the largest score.

    Args:
        scores: The score of each outcome, (m,).
        sensitivity: The largest change of any score between neighbours.
        epsilon: The privacy loss.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> exponential([1.0, 3.0, 2.0], sensitivity=1, epsilon=inf, rng=default_rng(0))
    1
    """
    require_epsilon(epsilon)
    require_sensitivity(sensitivity)
    scores = np.asarray(scores, dtype=float)
    # twice: one score may rise while another one falls
    chosen, scale = choose(scores, 2 * sensitivity / epsilon, rng)
    return int(release("exponential", scores, chosen, sensitivity=sensitivity, scale=scale))
