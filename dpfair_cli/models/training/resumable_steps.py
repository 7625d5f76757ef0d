"""The steps of a training run on batches, which shows its progress and can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.training_context import TrainingContext, TrainingState, ignore
from dpfair_cli.mechanisms.batches import Batch
from dpfair_cli.models.training.epochs import run_epochs

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
    measuring function of the context is not called, since it needs a model with gradients
    (models/training/descent.py).

    Args:
        start: The arrays before the first step.
        step: The function that makes one step.
        batches: The batches of all steps, drawn one at a time. After a checkpoint the batches of
            finished epochs are drawn again and skipped.
        epochs: The number of passes over the data.
        steps_per_epoch: The number of steps of a pass.
        context: The progress display and the checkpoints.
        rng: The generator of the noise, which may be that of the batches too.
    """

    def epochs_after(state: TrainingState) -> Iterator[TrainingState]:
        remaining, arrays = iter(batches), _arrays(state)
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
