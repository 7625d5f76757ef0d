"""The loop over the epochs of a training run, with checkpoints, measurements and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpfair_cli.contracts.training_context import FinishedTraining, TrainingContext, TrainingState

Epochs = Callable[[TrainingState], Iterator[TrainingState]]
"""A function of a state that yields the state at the end of each later epoch."""


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
        train: the function that trains from a given state; from a checkpoint it must yield the same
            bytes as from the start.
        epochs: the number of epochs.
        view: the function that turns a state into the argument of the measuring function.
        context: the progress display, checkpoints and measurements.
        rng: the generator of the run; its state is part of the name of the run.
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
    """The name of a training run: the fit, the measurements, and the state of the generator."""
    generator = rng.bit_generator
    spawned: Any = generator.seed_seq  # counts spawned generators, unlike the generator's state
    return f"{context.fit_name} {context.measurement_name} {generator.state} {spawned.state}"
