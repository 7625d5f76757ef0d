"""Stochastic gradient descent whose batch gradient is computed by an algorithm: the shared steps.

A model gives the gradient of each record. An algorithm's rule turns those of a batch into one
(noisy) sum. The step is the same for all: w <- w - r (sum / b + regularisation w), with momentum.
The penalty is weight decay: it is outside the clipped gradients, because it reads no record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Protocol

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import TrainingContext, TrainingState
from dpfair_cli.mechanisms.accounting.training_noise import Spending
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.models.training.epochs import run_epochs
from dpfair_cli.models.training.schedule import PlannedSteps


class Gradients(Protocol):
    """The gradients g_i of the b records of a batch."""

    @property
    def norms(self) -> Floats:
        """|g_i|, (b,)."""
        ...

    @property
    def losses(self) -> Floats:
        """The loss of each record, (b,)."""
        ...

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i g_i, (p,); the weights clip the gradients."""
        ...


class Differentiable(Protocol):
    """A model with p parameters and its n training records, as the algorithms see them."""

    groups: Ints
    """The protected group of each record, (n,)."""
    group_count: int
    """The number of groups."""

    def start(self, rng: np.random.Generator) -> Floats:
        """The first parameters, (p,)."""
        ...

    def gradients(self, parameters: Floats, rows: Ints) -> Gradients:
        """The gradients of the loss of the records `rows` (b,)."""
        ...

    def classifier(self, parameters: Floats) -> Classifier:
        """The classifier with these parameters."""
        ...


@dataclass(frozen=True, eq=False)
class DescentEpoch:
    """The state of a descent at the end of an epoch, for measurements."""

    model: Differentiable
    """The model that is trained."""
    steps: PlannedSteps
    """The plan of all steps."""
    whole_spending: Spending
    """The privacy cost of all steps."""
    state: TrainingState
    """Parameters and velocity (p,), clipping bounds of the last step and their means (groups,)."""

    @property
    def epoch(self) -> int:
        """The number of finished epochs."""
        return self.state.epoch

    @property
    def step(self) -> int:
        """The number of finished steps."""
        return int(self.state.facts["step"])

    @property
    def is_last(self) -> bool:
        """Whether all steps are finished."""
        return self.step == self.steps.count

    @property
    def parameters(self) -> Floats:
        """The parameters, (p,)."""
        return self.state.arrays["parameters"]

    @property
    def mean_bounds(self) -> Floats:
        """The mean clipping bound of each group over the epoch, (groups,)."""
        return self.state.arrays["mean_bounds"]

    @property
    def spending(self) -> Spending:
        """The privacy cost of the finished steps."""
        return self.whole_spending.after(self.step)


@dataclass(frozen=True, eq=False)
class BatchGradients:
    """What an algorithm's rule sees of a batch."""

    gradients: Gradients
    """The gradients g_i."""
    groups: Ints
    """The protected group of each record, (b,)."""
    draw: Draw
    """How the batch was drawn."""

    @cached_property
    def norms(self) -> Floats:
        """|g_i|, (b,)."""
        return self.gradients.norms

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i g_i, (p,)."""
        return self.gradients.total(weights)


BatchRule = Callable[[BatchGradients, Floats, np.random.Generator], tuple[Floats, Floats]]
"""(batch, last clipping bounds (groups,), rng) -> (sum of gradients (p,), clipping bounds)."""


def train(
    model: Differentiable,
    rule: BatchRule,
    steps: PlannedSteps,
    *,
    clip_norm: float,
    spending: Spending,
    context: TrainingContext,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after all steps.

    Start, batches and noise have separate generators, so that two algorithms with one seed have the
    same batches.

    Args:
        model: the model and its records.
        rule: computes the (noisy) sum of a batch's gradients and the clipping bounds.
        steps: batches and learning rates.
        clip_norm: the first clipping bound of every group.
        spending: the privacy cost of all steps.
        context: progress, checkpoints and measurements.
        rng: split in three.
    """
    start_rng, batch_rng, noise_rng = rng.spawn(3)
    w, bounds = model.start(start_rng), np.full(model.group_count, clip_norm)  # (p,), (groups,)

    def epochs_after(state: TrainingState) -> Iterator[TrainingState]:
        return _epochs(model, rule, steps, state, batch_rng, noise_rng)

    last = run_epochs(
        _state(0, 0, w, np.zeros_like(w), bounds, bounds, noise_rng),
        epochs_after,
        epochs=len(steps.ends),
        view=partial(DescentEpoch, model, steps, spending),
        context=context,
        rng=rng,
    )
    return model.classifier(last.arrays["parameters"])


def _epochs(
    model: Differentiable,
    rule: BatchRule,
    steps: PlannedSteps,
    state: TrainingState,
    batch_rng: np.random.Generator,
    noise_rng: np.random.Generator,
) -> Iterator[TrainingState]:
    """The state at the end of each epoch after `state`.

    All batches are drawn from the first one on; those of finished epochs are skipped.
    """
    noise_rng.bit_generator.state = state.facts["noise"]
    w, velocity, bounds = (state.arrays[name] for name in ("parameters", "velocity", "bounds"))
    training, epoch, first = steps.training, state.epoch, state.facts["step"]
    totals = np.zeros_like(bounds)
    for batch in islice(steps.draw(batch_rng), first, None):
        found = BatchGradients(model.gradients(w, batch.rows), model.groups[batch.rows], batch.draw)
        total, bounds = rule(found, bounds, noise_rng)  # (p,), (groups,)
        velocity = training.momentum * velocity + total / training.batch_size
        velocity = velocity + training.regularisation * w
        w = w - steps.rate(batch.draw.step) * velocity
        totals, step = totals + bounds, batch.draw.step
        if step == steps.ends[epoch]:
            epoch, means = epoch + 1, totals / (step - first)
            yield _state(epoch, step, w, velocity, bounds, means, noise_rng)
            totals, first = np.zeros_like(bounds), step


def _state(
    epoch: int,
    step: int,
    w: Floats,
    velocity: Floats,
    bounds: Floats,
    means: Floats,
    noise_rng: np.random.Generator,
) -> TrainingState:
    """A state that a descent can resume from."""
    arrays = {"parameters": w, "velocity": velocity, "bounds": bounds, "mean_bounds": means}
    return TrainingState(epoch, arrays, {"step": step, "noise": noise_rng.bit_generator.state})
