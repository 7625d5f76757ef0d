"""What one training gives away of canaries that a coin put in or not, or gave one label or the
other.

Source: Steinke, Nasr and Jagielski 2023, Algorithm 1. The data are canaries alone. Each has
features that no other has, so that a linear model keeps what it learned of each apart, and is as
long as the methods clip records, or longer. Where neighbours are one record more or less, a coin
says whether a canary is in any batch; where one record is replaced, which label it has. The weights
are then asked which way each coin fell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import ROUNDING, with_small_batches
from dpfair_cli.auditing.lower_bounds import LowerBound, one_run_bound
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent

FEATURES = 9  # of a canary, all 1: it has length 3
GUESSED = 5  # one canary in so many is guessed, those that the weights say most of


@dataclass(frozen=True)
class OneRun:
    """The epsilon that a method claims at `delta`, and what one training of it shows with 95 %
    confidence.
    """

    method: str
    claimed: float
    delta: float
    shown: LowerBound
    guesses: int

    @property
    def holds(self) -> bool:
        """Whether no more was shown than is claimed."""
        return self.shown.epsilon <= self.claimed * (1 + ROUNDING)


def one_run(method: str, *, params: Mapping[str, Any], canaries: int, seed: int = 0) -> OneRun:
    """Train a private method once, on so many canaries.

    Raises:
        DpfairError: it has no privacy guarantee, has other neighbours, or leaves no weights of features.
        ValueError: the fit is refused.
    """
    guarantee = catalog.algorithm(method).guarantee
    if not guarantee.is_private:
        raise DpfairError(f"{method} has no privacy guarantee: there is nothing to audit")
    algorithm, relation = catalog.algorithm(method), guarantee.neighbours
    if relation not in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE):
        raise DpfairError(f"{method} cannot be audited by one run: its neighbours are {relation}")
    coin_rng, fit_rng = np.random.default_rng(seed).spawn(2)
    heads = coin_rng.integers(2, size=canaries) == 1
    if relation is Neighbours.REPLACE_ONE:
        records, away = _canaries(heads), np.zeros(0, dtype=int)
    else:
        records, away = _canaries(np.arange(canaries) % 2 == 0), np.flatnonzero(~heads)
    with absent(*away.tolist()):
        model = algorithm.fit(records, **with_small_batches(params, canaries), rng=fit_rng)
    scores = records.X @ _weights(method, model, records)
    if relation is not Neighbours.REPLACE_ONE:
        scores = np.where(
            records.y == 1, scores, -scores
        )  # a canary that was there pulls its weights to its label
    delta, guesses = guarantee.stated_delta(params, canaries), canaries // GUESSED
    return OneRun(
        method,
        params["epsilon"],
        delta,
        one_run_bound(heads, scores, guesses=guesses, delta=delta),
        guesses,
    )


def _canaries(labels: Mask) -> Records:
    """A record with these labels (m,) each, and with `FEATURES` ones in columns of its own; groups
    take turns.
    """
    m = len(labels)
    names = tuple(f"canary {k}, {j}" for k in range(m) for j in range(FEATURES))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    return Records(
        np.repeat(np.eye(m), FEATURES, axis=1), labels.astype(int), np.arange(m) // 2 % 2, domain
    )


def _weights(method: str, model: Any, records: Records) -> Floats:
    """The weights of the features, (d,)."""
    weights = np.asarray(model.state().get("weights", ()))
    if weights.shape != records.X.shape[1:]:
        raise DpfairError(
            f"{method} cannot be audited by one run: it leaves no weight for each feature"
        )
    return weights
