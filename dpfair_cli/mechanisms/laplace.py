"""The Laplace mechanism: pure differential privacy for a vector of known L1 sensitivity.

Row-wise Laplace noise has a random direction and a Gamma-distributed length in each row. It is pure
differential privacy in the L2,1 norm. No exact sampler of such rows is known to us. Therefore the
rows are drawn in floating point, also with a secure generator.

Source: Dwork, McSherry, Nissim and Smith 2006; ding2020, Theorem 1; rows: Chaudhuri, Monteleoni and
Sarwate 2011 (one row); xu2021, Theorem 7.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.budget import require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import add_laplace


def laplace(
    value: ArrayLike, *, l1_sensitivity: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """`value` plus independent Laplace noise of scale l1_sensitivity / epsilon.

    The result is epsilon-differentially private.

    Args:
        value: The query's value, of any shape.
        l1_sensitivity: The largest L1 norm of the value's change between neighbours.
        epsilon: The privacy loss.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> laplace([1.0, 2.0], l1_sensitivity=1, epsilon=inf, rng=default_rng(0))
    array([1., 2.])
    """
    require_epsilon(epsilon)
    require_sensitivity(l1_sensitivity)
    value = np.asarray(value, dtype=float)
    noisy, scale = add_laplace(value, l1_sensitivity / epsilon, l1_sensitivity, rng)
    return release("laplace", value, noisy, sensitivity=l1_sensitivity, scale=scale)  # type: ignore[no-any-return]


def row_laplace(
    value: ArrayLike, *, l21_sensitivity: float, epsilon: float, rng: np.random.Generator
) -> Floats:
    """`value` plus rows eta with density proportional to exp(-|eta| epsilon / l21_sensitivity).

    The result is epsilon-differentially private.

    Args:
        value: The query's value, (n, k), or one row (k,).
        l21_sensitivity: The largest sum, over the rows, of the L2 norms of the value's change
            between neighbours.
        epsilon: The privacy loss.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> row_laplace([[1.0, 2.0]], l21_sensitivity=1, epsilon=inf, rng=default_rng(0))
    array([[1., 2.]])
    """
    require_epsilon(epsilon)
    require_sensitivity(l21_sensitivity)
    value = np.asarray(value, dtype=float)
    scale = l21_sensitivity / epsilon
    # a normal vector has every direction with equal density
    direction = rng.normal(size=value.shape)
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    noisy = value + direction * rng.gamma(value.shape[-1], scale, size=(*value.shape[:-1], 1))
    return release(  # type: ignore[no-any-return]
        "row_laplace", value, noisy, sensitivity=l21_sensitivity, scale=scale
    )
