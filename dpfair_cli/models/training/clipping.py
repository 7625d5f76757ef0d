"""Clipping as a weight for each record: weight_i g_i is at most as long as the bound, in the direction of g_i."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def clipping_weights(norms: Floats, bound: float | Floats) -> Floats:
    """min(1, bound / |g_i|), (b,); `bound` is one for all records or one for each."""
    return np.asarray(bound / np.maximum(norms, bound))
