"""The privacy loss of recorded releases: how far each query moved, and the epsilon that the moves cost together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.accounting.accountant import released_epsilon
from dpfair_cli.mechanisms.accounting.composition import composed_epsilon
from dpfair_cli.mechanisms.ledger import Release

NORMS: dict[str, Callable[[Floats], Any]] = {  # in which a mechanism's sensitivity is meant
    "laplace": lambda move: np.abs(move).sum(),
    "row_laplace": lambda move: np.linalg.norm(move, axis=-1).sum(),
    "gaussian": lambda move: np.linalg.norm(np.ravel(move)),
    "above_threshold": lambda move: np.abs(move).max(),
    "exponential": lambda move: np.ptp(move) / 2,  # scores may move together: their differences count
}


def privacy_loss(tape: Sequence[Release], changes: Sequence[float], delta: float) -> float:
    """The epsilon that these changes of the queries cost together.

    It is |change| / scale for Laplace noise (L1, or the sum of the rows' L2 norms) and the sparse vector technique,
    twice that for the exponential mechanism (one score may rise while the others fall), composed at `delta`, and the
    exact epsilon at `delta` for the joint Gaussian (L2), from above where batches were drawn.
    """
    pairs = list(zip(tape, changes, strict=True))
    pure = [_epsilon(entry, change) for entry, change in pairs if entry.mechanism != "gaussian"]
    normal = [(entry.draw, _ratio(change, entry.scale)) for entry, change in pairs if entry.mechanism == "gaussian"]
    return composed_epsilon(pure, delta) + released_epsilon(normal, delta)


def query_change(before: Release, after: Release) -> float:
    """How far a query moved, in the norm in which its mechanism's sensitivity is meant."""
    move = np.asarray(before.value) - np.asarray(after.value)
    if not move.size:
        return 0.0
    return float(NORMS[before.mechanism](move))


def _epsilon(entry: Release, change: float) -> float:
    """Of one release that is not Gaussian."""
    return _ratio(2 * change if entry.mechanism == "exponential" else change, entry.scale)


def _ratio(change: float, scale: float) -> float:
    return change / scale if scale else (inf if change else 0.0)
