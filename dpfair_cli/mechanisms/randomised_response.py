"""Generalised randomised response: each record keeps its level or reports another one.

Let p = e / (e + k - 1) with e = exp(epsilon). A record of level v reports v with probability p, and
each of the k - 1 other levels with probability q = 1 / (e + k - 1). Two levels v and w give the
same report with probabilities whose ratio is 1, p / q = e or q / p = 1 / e. The report is therefore
epsilon-differentially private for any two levels of the record, and the bound is reached. No party
but the individual needs to see the level: this is local differential privacy. If several attributes
of a record are reported independently, the probabilities multiply, and the epsilons add up.

Source: Warner 1965 (two levels); Kairouz, Bonawitz and Ramage 2016 (k levels).
"""

from __future__ import annotations

from decimal import Decimal
from math import exp

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.mechanisms.budget import require_epsilon, require_sensitivity
from dpfair_cli.mechanisms.discrete import happen
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import SLACK
from dpfair_cli.mechanisms.secure import SecureGenerator


def randomised_response(
    indicators: ArrayLike, *, hamming_sensitivity: float, epsilon: float, rng: np.random.Generator
) -> Ints:
    """The reported level of each record, from 0 to k - 1, by generalised randomised response.

    Args:
        indicators: The rows of the records, (n, k), each with its largest number at the level of
            the record; or one row (k,). Only the level of a row is used.
        hamming_sensitivity: The largest number of rows whose levels differ between neighbours.
        epsilon: The privacy loss.
        rng: The source of the noise.

    Returns:
        The reported levels, (n,); for one row, a number.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> rows = [[0, 0, 1], [1, 0, 0]]
    >>> randomised_response(rows, hamming_sensitivity=1, epsilon=inf, rng=default_rng(0))
    array([2, 0])
    """
    require_epsilon(epsilon)
    require_sensitivity(hamming_sensitivity)
    rows = np.asarray(indicators, dtype=float)
    levels = rows.argmax(axis=-1)  # (n,): a row has one level, whatever it holds
    k = rows.shape[-1]
    scale = hamming_sensitivity / epsilon
    if isinstance(rng, SecureGenerator):
        scale *= 1 + SLACK  # more than the rounding errors of the parts of a budget
    kept = _kept(levels.size, k, scale, rng).reshape(levels.shape)
    others = rng.integers(1, max(k, 2), size=levels.shape)  # exact: NumPy rejects what is uneven
    # another level, each with equal probability
    reported = (levels + np.where(kept, 0, others)) % k
    return release(  # type: ignore[no-any-return]
        "randomised_response",
        np.eye(k)[levels],  # the level alone, and not the numbers that chose it
        reported,
        sensitivity=hamming_sensitivity,
        scale=scale,
    )


def _kept(n: int, k: int, scale: float, source: np.random.Generator) -> Mask:
    """Which of n records report their level of k levels, (n,).

    The probability is 1 / (1 + (k - 1) exp(-1 / scale)), exactly with a `SecureGenerator`.
    """
    if scale == 0:
        return np.ones(n, dtype=bool)
    chance = 1 / (1 + (k - 1) * exp(-1 / scale))
    if not isinstance(source, SecureGenerator):
        return source.random(n) < chance

    def exact(record: int) -> Decimal:
        return 1 / (1 + (k - 1) * (-1 / Decimal(scale)).exp())

    return happen(np.full(n, chance), exact, source)
