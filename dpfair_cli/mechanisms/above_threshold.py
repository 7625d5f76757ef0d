"""The sparse vector technique: the first of many queries above 0, at the privacy cost of one.

Source: Dwork and Roth 2014, Algorithm 1 (AboveThreshold); on a random subsample of the records:
    Wang, Pang and Song 2020.
"""

from __future__ import annotations

from math import expm1, isinf, log, log1p

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.parameters import Epsilon, Share, checked
from dpfair_cli.mechanisms.batches import ALL_RECORDS, Draw
from dpfair_cli.mechanisms.budget import require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import are_above

LARGEST_EXPONENT = 700.0  # below the logarithm of the largest float, 709.8


def above_threshold(
    values: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    draw: Draw = ALL_RECORDS,
    rng: np.random.Generator,
) -> int:
    """The index of the first noisy value above a noisy threshold 0, or m if there is none.

    Args:
        values: The query values, (m,).
        sensitivity: The largest change of any of the values between neighbours; all values may
            change together.
        epsilon: The privacy loss with respect to all records.
        draw: How the records that the values were computed from were sampled. No other release may
            use the same sample. On a sample the noise is calibrated to the larger epsilon
            `amplified(epsilon, draw.sampling_rate)`.
        rng: The source of the noise.

    >>> from numpy.random import default_rng
    >>> from math import inf
    >>> rng = default_rng(0)
    >>> above_threshold([-3.0, -1.0, 2.0, 5.0], sensitivity=1, epsilon=inf, rng=rng)
    2
    """
    require_sensitivity(sensitivity)
    # the sample hides a record, so that more may be spent on it
    noise = amplified(epsilon, draw.sampling_rate)
    values = np.asarray(values, dtype=float)
    above, growth = are_above(values, 2 * sensitivity / noise, sensitivity, rng)
    # argmax: the first of the largest
    first = int(np.argmax(above)) if above.any() else len(values)
    # `growth` times the noise divides epsilon by at least `growth`, on a subsample too
    scale = growth * sensitivity / epsilon
    index = release(
        "above_threshold", values, first, sensitivity=sensitivity, scale=scale, draw=draw
    )
    return int(index)  # a replay may give an array without axes


@checked
def amplified(epsilon: Epsilon, sampling_rate: Share) -> float:
    """The epsilon on a random subsample for which the privacy loss on all records is `epsilon`.

    Neighbours: replace-one. Source: amplification by subsampling, Li, Qardaji and Su 2012.
    """
    if isinf(epsilon) or sampling_rate == 1:
        return epsilon
    if epsilon > LARGEST_EXPONENT:  # where expm1 overflows, and 1 is nothing next to exp(epsilon)
        return epsilon - log(sampling_rate)
    return log1p(expm1(epsilon) / sampling_rate)
