"""Does a method keep its promise? Record every release of a fit and replay it on neighbouring data.

Each release has a declared sensitivity and a noise scale. On a neighbour, with the same outputs handed out again,
(a) no query may move by more than its declared sensitivity, (b) the privacy loss that the moves and the noise add up to
may not exceed epsilon, and (c) the fitted model must be the same: whatever differs was read from the data without
noise. A pass proves nothing; a failure refutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.contracts.declarations import Neighbours
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.accounting.accountant import released_epsilon
from dpfair_cli.mechanisms.accounting.composition import composed_epsilon
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import Release, record, replay


@dataclass(frozen=True)
class Finding:
    """What an audit found: epsilons, the largest move of a query over its sensitivity, and whether (c) holds."""

    method: str
    claimed: float
    delta: float
    accounted: float
    found: float
    largest_move: float
    post_processing: bool
    neighbours: int

    @property
    def holds(self) -> bool:
        """Nothing found that breaks the claim (up to rounding)."""
        return self.post_processing and self.largest_move <= 1 + 1e-9 and self.found <= self.claimed * (1 + 1e-9)


def audit(
    method: str,
    data: Data,
    *,
    params: Mapping[str, Any],
    neighbours: int = 200,
    seed: int = 0,
    tick: Callable[[], Any] = lambda: None,
) -> Finding:
    """Audit a private method on random and adversarial neighbours of samples of `data`.

    What a neighbour is says the method's `Neighbours:` line: replace-one, one protected attribute, or add-or-remove-one
    (a replaced record that is in no batch: whatever is read outside the batches shows as a leak).
    """
    fit, relation = catalog.algorithm(method).fit, catalog.neighbours(method)
    away = (0,) if relation is Neighbours.ADD_OR_REMOVE_ONE else ()
    delta = params.get("delta", 0.0)
    moves, losses, accounted, same = [0.0], [0.0], [0.0], True
    for left, right in data.neighbours(relation, count=neighbours, rng=np.random.default_rng(seed)):
        given = {**params, **_batch_size(params, len(left))}
        with record() as tape:
            model = fit(left, **given, rng=np.random.default_rng(seed))
        with replay(tape) as again, absent(*away):
            other = fit(right, **given, rng=np.random.default_rng(seed))
        changes = [_change(a, b) for a, b in zip(tape, again, strict=True)]
        moves += [change / a.sensitivity for a, change in zip(tape, changes, strict=True) if a.sensitivity]
        losses.append(loss(tape, changes, delta))
        accounted.append(loss(tape, [entry.sensitivity for entry in tape], delta))
        same &= _alike(vars(model), vars(other)) and all(map(_same_noise, tape, again))
        tick()
    return Finding(method, params["epsilon"], delta, max(accounted), max(losses), max(moves), same, neighbours)


def loss(tape: list[Release], changes: list[float], delta: float) -> float:
    """The epsilon that these changes of the queries cost together.

    It is |change| / scale for Laplace noise (L1) and the sparse vector technique, twice that for the exponential
    mechanism (one score may rise while the others fall), composed at `delta`, and the exact epsilon at `delta` for the
    joint Gaussian (L2), from above where batches were drawn.
    """
    parts = [_cost(entry, change) for entry, change in zip(tape, changes, strict=True) if not _normal(entry)]
    ratios = [
        (entry.draw, _over(change, entry.scale)) for entry, change in zip(tape, changes, strict=True) if _normal(entry)
    ]
    return composed_epsilon(parts, delta) + released_epsilon(ratios, delta)


def _batch_size(params: Mapping[str, Any], size: int) -> dict[str, int]:
    """Batches of at most a quarter of a sample, for the methods that draw any."""
    return {"batch_size": min(params["batch_size"], -(-size // 4))} if "batch_size" in params else {}


def _alike(model: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether every field of two fitted models is the same, up to rounding."""
    return all(_equal(value, other[name]) for name, value in model.items())


def _equal(value: Any, other: Any) -> bool:
    if np.asarray(value).dtype.kind in "biufc":
        return bool(np.allclose(value, other, rtol=1e-9, atol=1e-12))
    return bool(value == other)


def _same_noise(a: Release, b: Release) -> bool:
    """Noise, or a batch's rate, that depends on the data would be a release of its own."""
    return a.draw == b.draw and bool(
        np.isclose(a.scale, b.scale, rtol=1e-12) and np.isclose(a.sensitivity, b.sensitivity, rtol=1e-12)
    )


def _normal(entry: Release) -> bool:
    return entry.mechanism == "gaussian"


def _cost(entry: Release, change: float) -> float:
    return _over(2 * change if entry.mechanism == "exponential" else change, entry.scale)


def _over(change: float, scale: float) -> float:
    return change / scale if scale else (inf if change else 0.0)


def _change(a: Release, b: Release) -> float:
    """How far a query moved; scores of the exponential mechanism may move together, their differences count."""
    move = np.ravel(np.asarray(a.value) - np.asarray(b.value))
    if a.mechanism == "exponential":
        return float(np.ptp(move)) / 2 if move.size else 0.0
    order = {"laplace": 1, "gaussian": 2, "above_threshold": inf}[a.mechanism]
    return float(np.linalg.norm(move, order)) if move.size else 0.0
