"""An audit from a single training on records or images of a data set, for any trained model.

The canaries are records of the data set, whose labels are shuffled: a model can only lower the loss
of a canary by learning the canary itself. A coin decides whether a canary is in any batch. The
score of a canary is the negative loss of the trained model. The model may be a network, because no
weight has to belong to a canary.

A training that takes too long is interrupted at the end of an epoch. The guarantee covers every
iterate, and so the last one before the interruption.

Source: Steinke, Nasr and Jagielski 2023, Algorithm 1.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from dpfair_cli import catalog
from dpfair_cli.auditing.audit import with_small_batches
from dpfair_cli.auditing.one_run import OneRun, result_of_guesses
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.contracts.training_context import TrainingContext
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import absent

SETTINGS = frozenset({"momentum", "schedule"})  # of methods of models/training/descent.py alone


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
            f"--canaries must be at most {len(data)}, the number of records, got {canaries}"
        )
    coin_rng, data_rng, fit_rng = np.random.default_rng(seed).spawn(3)
    heads = coin_rng.integers(2, size=canaries) == 1
    chosen = data.take(data_rng.choice(len(data), canaries, replace=False))
    shuffled = replace(chosen, y=data_rng.permutation(chosen.y))
    small, watch = with_small_batches(params, canaries), _Watch(seconds)
    with absent(*np.flatnonzero(~heads).tolist()), suppress(_OutOfTimeError):
        context = TrainingContext(measure=watch)
        algorithm.fit(shuffled, **small, context=context, rng=fit_rng)
    delta = algorithm.guarantee.stated_delta(params, canaries)
    found = result_of_guesses(method, params["epsilon"], delta, heads, -watch.losses())
    return replace(found, epochs=watch.last.epoch, planned_epochs=len(watch.last.steps.ends))


class _OutOfTimeError(Exception):
    """The training has lasted as long as it may."""


class _Watch:
    """The last epoch of a training, which is interrupted after a number of seconds."""

    last: Any
    """The state at the end of the epoch, a DescentEpoch of models/training/descent.py."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def __call__(self, epoch: Any) -> None:
        """Keeps the epoch, and interrupts the training if the time is over."""
        self.last = epoch
        if time.monotonic() > self.end and not epoch.is_last:
            raise _OutOfTimeError

    def losses(self) -> Floats:
        """The loss of the last iterate on each record, (n,)."""
        model = self.last.model
        everyone = np.arange(len(model.groups))
        return np.asarray(model.gradients(self.last.parameters, everyone).losses)
