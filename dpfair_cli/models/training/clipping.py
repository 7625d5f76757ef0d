"""Clipping as a weight for each gradient, and the clipping bounds of DPSGD-F."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask


def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:
    """The factor min(1, bound / |g_i|) by which clipping multiplies each gradient g_i, (b,).

    `norms` (b,) are the norms |g_i|. A gradient times its factor has at most the norm `bound`,
    which is one number for all records or a number for each record (b,).
    """
    return np.asarray(bound / np.maximum(norms, bound))


def long_and_other(groups: Ints, long: Mask, group_count: int) -> Floats:
    """The numbers of long and of other gradients in each group, (groups, 2).

    `groups` (b,) is the group of each gradient, and `long` (b,) says whether its norm is above the
    clipping bound.

    Source: xu2021, Algorithm 7.
    """
    cells = 2 * groups + ~long
    return np.bincount(cells, minlength=2 * group_count).reshape(-1, 2).astype(float)


def group_bounds(counts: Floats, clip_norm: float, batch_size: int) -> Floats:
    """The clipping bounds of the groups, C_0 (1 + (m_k / b_k) / (m / b)), (groups,).

    m_k is the noisy number of long gradients of group k, b_k the noisy number of all its gradients,
    m the sum of the m_k, and b the expected batch size.

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
