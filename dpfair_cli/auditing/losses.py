"""The privacy loss of recorded releases: how far each query moved, and the epsilon that the moves cost together."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from dpfair_cli.mechanisms.accounting.accountant import released_epsilon
from dpfair_cli.mechanisms.accounting.composition import composed_epsilon
from dpfair_cli.mechanisms.ledger import Release

NORMS = {"laplace": 1, "gaussian": 2, "above_threshold": inf}  # in which a mechanism's sensitivity is meant


def privacy_loss(tape: Sequence[Release], changes: Sequence[float], delta: float) -> float:
    """The epsilon that these changes of the queries cost together.

    It is |change| / scale for Laplace noise (L1) and the sparse vector technique, twice that for the exponential
    mechanism (one score may rise while the others fall), composed at `delta`, and the exact epsilon at `delta` for the
    joint Gaussian (L2), from above where batches were drawn.
    """
    pairs = list(zip(tape, changes, strict=True))
    pure = [_epsilon(entry, change) for entry, change in pairs if entry.mechanism != "gaussian"]
    normal = [(entry.draw, _ratio(change, entry.scale)) for entry, change in pairs if entry.mechanism == "gaussian"]
    return composed_epsilon(pure, delta) + released_epsilon(normal, delta)


def query_change(before: Release, after: Release) -> float:
    """How far a query moved; scores of the exponential mechanism may move together, their differences count."""
    move = np.ravel(np.asarray(before.value) - np.asarray(after.value))
    if not move.size:
        return 0.0
    if before.mechanism == "exponential":
        return float(np.ptp(move)) / 2
    return float(np.linalg.norm(move, NORMS[before.mechanism]))


def _epsilon(entry: Release, change: float) -> float:
    """Of one release that is not Gaussian."""
    return _ratio(2 * change if entry.mechanism == "exponential" else change, entry.scale)


def _ratio(change: float, scale: float) -> float:
    return change / scale if scale else (inf if change else 0.0)
