"""Does a method keep its promise? Record every release of a fit and replay it on neighbouring data.

Each release has a declared sensitivity and a noise scale. On a neighbour, with the same outputs handed out again,
(a) no query may move by more than its declared sensitivity, (b) the privacy loss that the moves and the noise add up to
may not exceed epsilon, and (c) the fitted model must be the same: whatever differs was read from the data without
noise. A pass proves nothing; a failure refutes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.replaying import replay_on_neighbour
from dpfair_cli.contracts.declarations import Neighbours
from dpfair_cli.kinds import Data


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
    absentees = (0,) if relation is Neighbours.ADD_OR_REMOVE_ONE else ()
    delta, pairs = params.get("delta", 0.0), []
    for left, right in data.neighbours(relation, count=neighbours, rng=np.random.default_rng(seed)):
        fit_sample = partial(fit, **_with_small_batches(params, len(left)))
        pairs.append(replay_on_neighbour(fit_sample, left, right, absentees=absentees, delta=delta, seed=seed))
        tick()
    return Finding(
        method,
        claimed=params["epsilon"],
        delta=delta,
        accounted=max(pair.accounted for pair in pairs),
        found=max(pair.found for pair in pairs),
        largest_move=max(pair.largest_move for pair in pairs),
        post_processing=all(pair.post_processing for pair in pairs),
        neighbours=neighbours,
    )


def _with_small_batches(params: Mapping[str, Any], size: int) -> dict[str, Any]:
    """The parameters with batches of at most a quarter of a sample, for the methods that draw any."""
    batches = {"batch_size": min(params["batch_size"], -(-size // 4))} if "batch_size" in params else {}
    return {**params, **batches}
