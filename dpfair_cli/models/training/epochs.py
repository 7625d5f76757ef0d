"""The loop over the epochs of any training: resume, measure, keep a checkpoint, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpfair_cli.contracts.training_context import FinishedTraining, TrainingContext, TrainingState

Epochs = Callable[[TrainingState], Iterator[TrainingState]]
"""Yields the state at the end of each epoch after the given one."""


def run_epochs(
    start: TrainingState,
    train: Epochs,
    *,
    epochs: int,
    view: Callable[[TrainingState], Any] = lambda state: state,
    context: TrainingContext,
    rng: np.random.Generator,
) -> TrainingState:
    """The state after all epochs, starting from `start` or from this run's last checkpoint.

    Args:
        start: the state before the first epoch.
        train: must yield the same bytes whether it begins at the start or at a checkpoint.
        epochs: the number of epochs.
        view: turns a state into what a measuring function receives.
        context: progress, checkpoints and measurements.
        rng: the run's generator, which identifies the run together with the fit.
    """
    name = _run_name(context, rng)
    last, measurements = context.checkpoints.find(name, epochs=epochs) or (start, [])
    for state in context.progress(train(last), epochs=epochs, done=last.epoch):
        measurements.append(context.measure(view(state)))
        context.checkpoints.keep(name, state, measurements)
        last = state
    context.on_finished(FinishedTraining(view(last), measurements))
    return last


def _run_name(context: TrainingContext, rng: np.random.Generator) -> str:
    """The name of a training run: the fit, its measurements, and the state of its generator."""
    generator = rng.bit_generator
    spawned: Any = generator.seed_seq  # counts children, which the generator's state does not
    return f"{context.fit_name} {context.measurement_name} {generator.state} {spawned.state}"
