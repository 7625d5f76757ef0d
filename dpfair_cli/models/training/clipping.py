"""Clipping as a weight for each record, so that weight_i g_i is at most as long as its bound; and
DPSGD-F's bounds.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask


def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:
    """min(1, bound / |g_i|), (b,); `bound` is one for all records or one for each."""
    return np.asarray(bound / np.maximum(norms, bound))


def long_and_other(groups: Ints, long: Mask, group_count: int) -> Floats:
    """The records of each group whose gradient is long, and the others: m^k and o^k of xu2021,
    (groups, 2).
    """
    cells = 2 * groups + ~long
    return np.bincount(cells, minlength=2 * group_count).reshape(-1, 2).astype(float)


def group_bounds(counts: Floats, clip_norm: float, batch_size: int) -> Floats:
    """C^k = C_0 (1 + (m~^k / b~^k) / (m~ / b)) of xu2021, Algorithm 7, from counts (groups, 2),
    (groups,).
    """
    counts = np.maximum(counts, 0.0)
    share = counts[:, 0] / np.maximum(counts.sum(axis=1), 1.0)  # m~^k / b~^k
    whole = counts[:, 0].sum() / batch_size  # m~ / b
    return clip_norm * (1 + (share / whole if whole > 0 else np.ones(len(counts))))
