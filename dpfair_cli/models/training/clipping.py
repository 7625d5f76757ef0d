"""Clipping as a weight for each record: weight_i g_i is at most as long as the bound, in the direction of g_i."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def clipped(norms: Floats, bound: float | Floats) -> Floats:
    """min(1, bound / |g_i|), (b,); `bound` is one for all records or one for each."""
    return np.asarray(bound / np.maximum(norms, bound))


def require_clip_norm(clip_norm: float) -> None:
    """Refuse a bound that is not positive and finite: noise is scaled by it."""
    if not 0 < clip_norm < np.inf:
        raise ValueError(f"clip_norm must be positive and finite, got {clip_norm:g}")
