"""An audit from a single training run with canaries, records that are planted for the audit.

A coin decides for each canary whether it is in any batch. The audit then guesses the coins from the
trained model. The bound is from the sum of the scores of right guesses, and for many canaries or a
large delta from the number of right guesses (lower_bounds.py).

- `one_run` trains on canaries only. Each canary has features that no other canary has, so that
  separate weights of a linear model show the influence of each canary. The norm of a canary is at
  least the clipping bound of the methods. For replace-one, the coin decides the label.
- `one_run_on_data` trains on records or images of a data set, whose labels are shuffled: a model
  can only lower the loss of a canary by learning the canary itself. The score of a canary is the
  negative loss of the trained model. The model may be a network, because no weight has to belong to
  a canary. A training that takes too long is interrupted at the end of an epoch. The guarantee
  covers every iterate, and so the last one before the interruption.

Source: Steinke, Nasr and Jagielski 2023, Algorithm 1.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import with_small_batches
from dpfair_cli.auditing.finding import HOLDS, ROUNDING, at_least, claimed, power
from dpfair_cli.auditing.lower_bounds import (
    LowerBound,
    guesses_and_weights,
    least_found,
    one_run_bound,
    one_run_p_value,
    score_sum_bound,
    score_sum_p_value,
)
from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.batches import absent

FEATURES = 9  # features of a canary, all 1: it has norm 3
GUESSED = 5  # one in GUESSED canaries is guessed: those with the most extreme scores
FAILING = (
    0.01  # canaries times delta from which the bound is by guesses; 0.05 leaves none by scores
)
SETTINGS = frozenset({"momentum", "schedule"})  # of methods of models/training/descent.py alone


@dataclass(frozen=True)
class OneRun:
    """The result of an audit that trains a method once."""

    method: str
    claimed: float  # the claimed epsilon
    delta: float  # the delta that the method states
    shown: LowerBound
    by: str  # what the bound is from, the "scores" or the number of right "guesses"
    guesses: int  # the number of canaries that were guessed
    least_found: float  # the least loss of the guessed canaries that half of such audits find
    epochs: int = 0  # the number of epochs of the training; 0 if the training was not watched
    planned_epochs: int = 0  # the number of epochs without an interruption

    @property
    def holds(self) -> bool:
        """Whether the lower bound of epsilon from one training is at most the claimed one."""
        return self.shown.epsilon <= self.claimed * (1 + ROUNDING)

    def lines(self) -> list[tuple[str, str]]:
        """The lines about the result, as (name, text)."""
        guessed = f"{self.guesses} of {self.shown.trials} canaries guessed"
        epochs = f"{self.epochs} of {self.planned_epochs} epochs"
        return [
            ("claimed", claimed(self.claimed, self.delta)),
            *([("training", epochs)] if self.epochs else []),
            ("shown", f"{at_least(self.shown)} (one training, {guessed}, by {self.by})"),
            ("power", power("epsilon", self.least_found)),
            ("unchecked", "everything else: this bound is often far below the privacy loss"),
            ("verdict", HOLDS if self.holds else "refuted: the bound exceeds the claim"),
        ]

    def plain(self) -> dict[str, Any]:
        """The result as mappings and lists."""
        return asdict(self) | {"holds": self.holds}


def one_run(method: str, *, params: Mapping[str, Any], canaries: int, seed: int = 0) -> OneRun:
    """The result of an audit that trains a private method once, on `canaries` canary records.

    Raises:
        DpfairError: the method is not private, has other neighbours, or has no weights of features.
        ValueError: the fit is refused.
    """
    algorithm = catalog.algorithm(method)
    relation = algorithm.guarantee.neighbours
    if not algorithm.guarantee.is_private:
        raise DpfairError(
            f"{method} has no privacy guarantee that can be audited: choose a private method"
        )
    if relation not in (Neighbours.REPLACE_ONE, Neighbours.ADD_OR_REMOVE_ONE):
        raise _unusable(method, f"its neighbours are {relation}")
    if "encoding" in algorithm.data_options:
        raise _unusable(method, "it needs records of levels and bins")
    coin_rng, fit_rng = np.random.default_rng(seed).spawn(2)
    heads = coin_rng.integers(2, size=canaries) == 1
    is_replaced = relation is Neighbours.REPLACE_ONE
    records = _canaries(heads if is_replaced else np.arange(canaries) % 2 == 0)
    # they keep their places: the number of records is public
    away = [] if is_replaced else np.flatnonzero(~heads).tolist()
    with absent(*away):
        model = algorithm.fit(records, **with_small_batches(params, canaries), rng=fit_rng)
    scores = records.X @ _weights(method, model, records)
    if not is_replaced:
        # an included canary moves its weights towards its label
        scores = np.where(records.y == 1, scores, -scores)
    return _result_of_guesses(method, params, heads, scores)


def _unusable(method: str, why: str) -> DpfairError:
    return DpfairError(
        f"{method} cannot be audited with --one-run, because {why}: audit the method without "
        "--one-run"
    )


def _result_of_guesses(
    method: str, params: Mapping[str, Any], heads: Mask, scores: Floats
) -> OneRun:
    """The result of guessing the coins `heads` (m,) of the canaries from their `scores` (m,)."""
    delta = catalog.algorithm(method).guarantee.stated_delta(params, len(heads))
    epsilon, m = params["epsilon"], len(heads)
    if m * delta < FAILING:
        weights = guesses_and_weights(scores)[1]
        shown = score_sum_bound(heads, scores, delta=delta)
        p_value = partial(score_sum_p_value, weights=weights, epsilon=epsilon, delta=delta)
        least = least_found(p_value, int(weights.sum()))
        return OneRun(
            method, epsilon, delta, shown, "scores", int(np.count_nonzero(weights)), least
        )
    guesses = m // GUESSED
    shown = one_run_bound(heads, scores, guesses=guesses, delta=delta)
    p_value = partial(one_run_p_value, guesses=guesses, canaries=m, epsilon=epsilon, delta=delta)
    least = least_found(p_value, guesses)
    return OneRun(method, epsilon, delta, shown, "guesses", guesses, least)


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
        raise _unusable(method, "its model does not have one weight for each feature")
    return weights


def one_run_on_data(
    method: str,
    data: Records | Images,
    *,
    params: Mapping[str, Any],
    canaries: int,
    seconds: float,
    seed: int = 0,
) -> OneRun:
    """The result of an audit that trains a method once, on `canaries` records of `data`.

    The training is interrupted at the end of the first epoch that ends after `seconds`.

    Raises:
        DpfairError: the method is not one of models/training/descent.py, its neighbours are not
            add-or-remove-one, or the data have too few records.
        ValueError: the fit is refused.
    """
    algorithm = catalog.algorithm(method)
    relation = algorithm.guarantee.neighbours
    shows_losses = algorithm.parameters.keys() >= SETTINGS
    if not shows_losses or relation is not Neighbours.ADD_OR_REMOVE_ONE:
        raise DpfairError(
            f"{method} cannot be audited with --one-run on a data set, because it is not trained "
            "by private gradient descent that shows the loss of each record: audit the method "
            "without a data set or without --one-run"
        )
    if canaries > len(data):
        raise DpfairError(
            f"--trials must be at most {len(data)}, the number of records, got {canaries}"
        )
    coin_rng, data_rng, fit_rng = np.random.default_rng(seed).spawn(3)
    heads = coin_rng.integers(2, size=canaries) == 1
    chosen = data.take(data_rng.choice(len(data), canaries, replace=False))
    # nothing but the record itself tells its label
    shuffled = replace(chosen, y=data_rng.permutation(chosen.y))
    small, watch = with_small_batches(params, canaries), _Watch(seconds)
    with absent(*np.flatnonzero(~heads).tolist()), suppress(_OutOfTimeError):
        context = TrainingContext(measure=watch)
        algorithm.fit(shuffled, **small, context=context, rng=fit_rng)
    found = _result_of_guesses(method, params, heads, -watch.losses())
    return replace(found, epochs=watch.last.epoch, planned_epochs=len(watch.last.steps.ends))


class _OutOfTimeError(Exception):
    """The training has lasted as long as it may."""


class _Watch:
    """The last epoch of a training, which is interrupted after a number of seconds."""

    last: Any  # the state at the end of the epoch, a DescentEpoch of models/training/descent.py

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def __call__(self, epoch: Any) -> None:
        """Keeps the epoch, and interrupts the training if the time is over."""
        self.last = epoch
        if time.monotonic() > self.end and not epoch.is_last:  # the last epoch ends by itself
            raise _OutOfTimeError

    def losses(self) -> Floats:
        """The loss of the last iterate on each record, (n,)."""
        model = self.last.model
        everyone = np.arange(len(model.groups))
        return np.asarray(model.gradients(self.last.parameters, everyone).losses)
