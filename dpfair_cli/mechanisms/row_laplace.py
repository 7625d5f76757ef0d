"""Noise of random direction and Gamma length on each row: pure differential privacy in the sum of
the rows' L2 norms.

No exact way to draw such rows is known to us: from a secure generator too they are drawn in
floating point.

Source: Chaudhuri, Monteleoni and Sarwate 2011 (one row); xu2021, Theorem 7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.budget import require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.ledger import release


def row_laplace(
    value: ArrayLike, *, l21_sensitivity: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """`value` (n, k), or one row (k,), plus rows eta of density ~ exp(-|eta| epsilon /
    l21_sensitivity).

    It is epsilon-differentially private if `l21_sensitivity` bounds the sum, over the rows, of the
    L2 norms of the change between neighbours.

    Raises:
        ValueError: epsilon is not positive, or the sensitivity is negative or infinite.
    """
    require_epsilon(epsilon)
    require_sensitivity(l21_sensitivity)
    value = np.asarray(value, dtype=float)
    scale = l21_sensitivity / epsilon
    direction = rng.normal(size=value.shape)
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    noisy = value + direction * rng.gamma(value.shape[-1], scale, size=(*value.shape[:-1], 1))
    return release(  # type: ignore[no-any-return]
        "row_laplace", value, noisy, sensitivity=l21_sensitivity, scale=scale
    )
