"""The Laplace mechanism: pure differential privacy for a vector of known L1 sensitivity.

Source: Dwork, McSherry, Nissim and Smith 2006; ding2020, Theorem 1.
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

    Returns:
        The noisy value, of the same shape.

    Raises:
        ValueError: epsilon is not positive, or the sensitivity is negative or infinite.

    Source: Dwork, McSherry, Nissim and Smith 2006; Dwork and Roth 2014, Theorem 3.6.

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
