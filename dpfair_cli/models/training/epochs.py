"""The loop over the epochs of a training run, with checkpoints, measurements and progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.training_context import (
    FinishedTraining,
    TrainingContext,
    TrainingState,
    ignore,
)
from dpfair_cli.mechanisms.batches import Batch

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
    # the name has the generator's state: another seed never resumes this run
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


Iterate = tuple[Floats, ...]
"""All arrays that a step changes, such as weights and their moments."""
Step = Callable[[Iterate, Batch], Iterate]
"""(arrays before the step, batch) -> arrays after the step; the arguments are not changed."""


def take_steps(
    start: Iterate,
    step: Step,
    batches: Iterable[Batch],
    *,
    epochs: int,
    steps_per_epoch: int,
    context: TrainingContext,
    rng: np.random.Generator,
) -> Iterate:
    """The arrays after all steps, starting from `start` or from this run's last checkpoint.

    Afterwards `rng` is in the state that it has after the last step of an uninterrupted run. The
    measuring function of the context is not called, since it needs a model with gradients.

    Args:
        start: The arrays before the first step.
        step: The function that makes one step.
        batches: The batches of all steps, drawn one at a time.
        epochs: The number of passes over the data.
        steps_per_epoch: The number of steps of a pass.
        context: The progress display and the checkpoints.
        rng: The generator of the noise, which may be that of the batches too.
    """

    def epochs_after(state: TrainingState) -> Iterator[TrainingState]:
        remaining, arrays = iter(batches), _arrays(state)
        # drawn and skipped: the generator of the batches must reach the same state
        for _ in islice(remaining, state.epoch * steps_per_epoch):
            continue
        rng.bit_generator.state = state.facts["rng"]
        for epoch in range(state.epoch + 1, epochs + 1):
            for batch in islice(remaining, steps_per_epoch):
                arrays = step(arrays, batch)
            yield _state(epoch, arrays, rng)

    last = run_epochs(
        _state(0, start, rng),
        epochs_after,
        epochs=epochs,
        context=replace(context, measure=ignore, on_finished=ignore),
        rng=rng,
    )
    rng.bit_generator.state = last.facts["rng"]
    return _arrays(last)


def _state(epoch: int, arrays: Iterate, rng: np.random.Generator) -> TrainingState:
    """The state of the run at the end of an epoch."""
    named = {str(place): array for place, array in enumerate(arrays)}
    return TrainingState(epoch, named, {"rng": rng.bit_generator.state})


def _arrays(state: TrainingState) -> Iterate:
    """The arrays of a state, in their order."""
    return tuple(state.arrays[str(place)] for place in range(len(state.arrays)))
