"""Clipping as a weight for each gradient, and the clipping bounds of DPSGD-F."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask


def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:
    """The weight min(1, bound / |g_i|) of each gradient g_i, (b,).

    A gradient times its weight has at most the norm `bound`. `bound` is one number for all records,
    or a number for each record (b,).
    """
    return np.asarray(bound / np.maximum(norms, bound))


def long_and_other(groups: Ints, long: Mask, group_count: int) -> Floats:
    """The numbers m^k of long and o^k of other gradients in each group k, (groups, 2).

    Source: xu2021, Algorithm 7.
    """
    cells = 2 * groups + ~long
    return np.bincount(cells, minlength=2 * group_count).reshape(-1, 2).astype(float)


def group_bounds(counts: Floats, clip_norm: float, batch_size: int) -> Floats:
    """The clipping bounds C^k = C_0 (1 + (m~^k / b~^k) / (m~ / b)) of the groups k, (groups,).

    Source: xu2021, Algorithm 7.

    Args:
        counts: the noisy counts m~^k and o~^k of each group, (groups, 2).
        clip_norm: C_0.
        batch_size: b, the expected batch size.
    """
    counts = np.maximum(counts, 0.0)
    share = counts[:, 0] / np.maximum(counts.sum(axis=1), 1.0)  # m~^k / b~^k
    whole = counts[:, 0].sum() / batch_size  # m~ / b
    return clip_norm * (1 + (share / whole if whole > 0 else np.ones(len(counts))))
