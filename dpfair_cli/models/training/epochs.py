"""The loop over epochs of whatever is trained: go on from the last state kept, measure, keep, show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpfair_cli.contracts.training_context import FinishedTraining, TrainingContext, TrainingState

Epochs = Callable[[TrainingState], Iterator[TrainingState]]


def run_epochs(
    start: TrainingState,
    train: Epochs,
    *,
    epochs: int,
    view: Callable[[TrainingState], Any] = lambda state: state,
    context: TrainingContext,
    rng: np.random.Generator,
) -> TrainingState:
    """The state at the end of the last of `epochs`, from `start` or from the last state that is
    kept of this run.

    `train(state)` yields the state at the end of each epoch after `state`, the same bytes whether
    it begins at the start or at a state that was kept; `view(state)` is what a measuring function
    gets of it. `rng` is the generator that the run was given: with the fit, it is what makes a run
    this one.
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
    """What no two training runs share: the fit, what is measured of it, and where its generator
    stands.
    """
    spawned: Any = (
        rng.bit_generator.seed_seq
    )  # the bit generator itself does not move when children are spawned
    return (
        f"{context.fit_name} {context.measurement_name} {rng.bit_generator.state} {spawned.state}"
    )
