"""One pair of neighbouring data sets: a fit recorded on the first of them and replayed on the second."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.contracts.results import Result
from dpfair_cli.kinds import Data
from dpfair_cli.mechanisms.batches import absent
from dpfair_cli.mechanisms.ledger import Release, record, replay


@dataclass(frozen=True)
class PairFinding:
    """What one pair of neighbours shows.

    The epsilon of the declared sensitivities (`accounted`) and of the moves (`found`), the largest move of a query over
    its sensitivity, and whether nothing but the values of the queries depends on the data.
    """

    accounted: float
    found: float
    largest_move: float
    post_processing: bool


def replay_on_neighbour(
    fit: Callable[..., Result], left: Data, right: Data, *, absentees: Sequence[int], delta: float, seed: int
) -> PairFinding:
    """Fit `left` and, with the same outputs handed out again and without the `absentees` in any batch, `right`.

    Raises:
        ValueError: the number, the mechanism or the shape of the releases depends on the data.
    """
    with record() as tape:
        model = fit(left, rng=np.random.default_rng(seed))
    with replay(tape) as again, absent(*absentees):
        other = fit(right, rng=np.random.default_rng(seed))
    changes = [query_change(before, after) for before, after in zip(tape, again, strict=True)]
    moves = [change / entry.sensitivity for entry, change in zip(tape, changes, strict=True) if entry.sensitivity]
    return PairFinding(
        accounted=privacy_loss(tape, [entry.sensitivity for entry in tape], delta),
        found=privacy_loss(tape, changes, delta),
        largest_move=max(moves, default=0.0),
        post_processing=_same_state(model.state(), other.state()) and all(map(_same_noise, tape, again)),
    )


def _same_state(state: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two fitted results are the same, up to rounding."""
    return all(_equal(value, other[name]) for name, value in state.items())


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, tuple):
        return len(value) == len(other) and all(map(_equal, value, other))
    if np.asarray(value).dtype.kind in "biufc":
        return bool(np.allclose(value, other, rtol=1e-9, atol=1e-12))
    return bool(value == other)


def _same_noise(before: Release, after: Release) -> bool:
    """Noise, or a batch's rate, that depends on the data would be a release of its own."""
    return before.draw == after.draw and bool(
        np.isclose(before.scale, after.scale, rtol=1e-12)
        and np.isclose(before.sensitivity, after.sensitivity, rtol=1e-12)
    )
