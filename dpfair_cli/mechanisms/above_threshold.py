"""The sparse vector technique: which of many queries is the first above 0, at the price of one.

Source: Dwork and Roth 2014, Algorithm 1 (AboveThreshold); on a random part of the records: Wang,
    Pang and Song 2020.
"""

from __future__ import annotations

from math import expm1, isinf, log1p

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.parameters import Epsilon, Share, checked
from dpfair_cli.mechanisms.batches import EVERYBODY, Draw
from dpfair_cli.mechanisms.budget import require_sensitivity
from dpfair_cli.mechanisms.ledger import release
from dpfair_cli.mechanisms.noise import are_above


def above_threshold(
    values: ArrayLike,
    *,
    sensitivity: float,
    epsilon: float,
    draw: Draw = EVERYBODY,
    rng: np.random.Generator,
) -> int:
    """The place of the first of `values` (m,) that is above 0 after noise on it and on the 0; m if
    there is none.

    The values may all move by `sensitivity`. They were computed on the random part of the records
    that `draw` tells, of which nothing else was asked: the noise is that of `amplified(epsilon,
    rate)`, and epsilon is the privacy of all.

    Raises:
        ValueError: epsilon is not positive, the sensitivity is negative or infinite, or the rate is
            not in (0, 1].
    """
    require_sensitivity(sensitivity)
    noise = amplified(epsilon, draw.sampling_rate)
    values = np.asarray(values, dtype=float)
    above, growth = are_above(values, 2 * sensitivity / noise, sensitivity, rng)
    first = int(np.argmax(above)) if above.any() else len(values)
    scale = (
        growth * sensitivity / epsilon
    )  # more noise divides epsilon by no less, on a part of the records too
    return int(
        release("above_threshold", values, first, sensitivity=sensitivity, scale=scale, draw=draw)
    )


@checked
def amplified(epsilon: Epsilon, sampling_rate: Share) -> float:
    """The epsilon on a random share of the records that is `epsilon` on all (Li, Qardaji and Su
    2012; replace-one).
    """
    if isinf(epsilon) or sampling_rate == 1:
        return epsilon
    return log1p(expm1(epsilon) / sampling_rate)
