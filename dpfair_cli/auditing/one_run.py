"""An audit from a single training run with canaries.

The data consist of canaries only, records that are planted for the audit. Each canary has features
that no other canary has, so that separate weights of a linear model show the influence of each
canary. The norm of a canary is at least the clipping bound of the methods. For add-or-remove-one, a
coin decides whether a canary is in any batch; for replace-one, a coin decides the label. The audit
then guesses the coins from the weights. There are two bounds, one from the number of right guesses
and one from the sum of their scores (`score_sums`).

Source: Steinke, Nasr and Jagielski 2023, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import ROUNDING, with_small_batches
from dpfair_cli.auditing.lower_bounds import LowerBound, one_run_bound
from dpfair_cli.auditing.score_sums import score_sum_bound
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent

FEATURES = 9  # features of a canary, all 1: it has norm 3
GUESSED = 5  # one in GUESSED canaries is guessed: those with the most extreme scores


@dataclass(frozen=True)
class OneRun:
    """The result of an audit that trains a method once."""

    method: str
    """The name of the method."""
    claimed: float
    """The claimed epsilon."""
    delta: float
    """The delta that the method states."""
    shown: LowerBound
    """The lower bound of epsilon, with 95 % confidence."""
    guesses: int
    """The number of canaries that were guessed."""
    by_scores: LowerBound
    """The lower bound of epsilon from the sum of scores, with 95 % confidence."""
    epochs: int = 0
    """The number of epochs of the training; 0 if the training was not watched."""
    planned_epochs: int = 0
    """The number of epochs without an interruption."""

    @property
    def holds(self) -> bool:
        """Whether both lower bounds of epsilon from one training are at most the claimed one."""
        largest = max(self.shown.epsilon, self.by_scores.epsilon)
        return largest <= self.claimed * (1 + ROUNDING)


def one_run(method: str, *, params: Mapping[str, Any], canaries: int, seed: int = 0) -> OneRun:
    """The result of an audit that trains a private method once, on `canaries` canary records.

    Raises:
        DpfairError: the method is not private, has other neighbours, or has no weights of features.
        ValueError: the fit is refused.
    """
    algorithm = catalog.algorithm(method)
    guarantee, relation = algorithm.guarantee, algorithm.guarantee.neighbours
    if not guarantee.is_private:
        raise DpfairError(
            f"{method} has no privacy guarantee that can be audited: choose a private method"
        )
    if relation not in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE):
        raise DpfairError(
            f"{method} cannot be audited with --one-run, because its neighbours are "
            f"{relation}: audit the method without --one-run"
        )
    if "encoding" in algorithm.data_options:
        raise DpfairError(
            f"{method} cannot be audited with --one-run, because it needs records of levels and "
            "bins: audit the method without --one-run"
        )
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
        # an included canary moves its weights towards its label
        scores = np.where(records.y == 1, scores, -scores)
    delta = guarantee.stated_delta(params, canaries)
    return result_of_guesses(method, params["epsilon"], delta, heads, scores)


def result_of_guesses(
    method: str, claimed: float, delta: float, heads: Mask, scores: Floats
) -> OneRun:
    """The result of guessing the coins `heads` (m,) of the canaries from their `scores` (m,)."""
    guesses = len(heads) // GUESSED
    shown = one_run_bound(heads, scores, guesses=guesses, delta=delta)
    by_scores = score_sum_bound(heads, scores, delta=delta)
    return OneRun(method, claimed, delta, shown, guesses, by_scores)


def _canaries(labels: Mask) -> Records:
    """Canary records with the given labels (m,); each has FEATURES features 1, which no other has.

    The groups of the records alternate.
    """
    m = len(labels)
    names = tuple(f"canary {j // FEATURES}, {j % FEATURES}" for j in range(m * FEATURES))
    domain = Domain(names, {name: (j,) for j, name in enumerate(names)}, ("a", "b"))
    X = np.repeat(np.eye(m), FEATURES, axis=1)  # (m, m FEATURES)
    return Records(X, labels.astype(int), np.arange(m) // 2 % 2, domain)


def _weights(method: str, model: Any, records: Records) -> Floats:
    """The weights that the fitted `model` gives to the features of `records`, (d,)."""
    weights = np.asarray(model.state().get("weights", ()))
    if weights.shape != records.X.shape[1:]:
        raise DpfairError(
            f"{method} cannot be audited with --one-run, because its model does not have one "
            "weight for each feature: audit the method without --one-run"
        )
    return weights
