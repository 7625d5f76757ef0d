"""Stochastic gradient descent in which an algorithm decides what a batch gives: the steps that all
of them share.

A model says what the gradient of each record is, an algorithm's rule turns those of a batch into
one (noisy) sum, and the step is the same for all: w <- w - r (sum / b + regularisation w), with
momentum. The penalty is weight decay: outside the clipped gradients, since it reads no record.
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
    """The gradients g_i of the records of one batch, at one point."""

    @property
    def norms(self) -> Floats:
        """|g_i|, (b,)."""
        ...

    @property
    def losses(self) -> Floats:
        """The loss of each record, (b,)."""
        ...

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i g_i over the batch, (p,): clipping is a weight for each record."""
        ...


class Differentiable(Protocol):
    """A model with its n records: all that the algorithms know of either."""

    groups: Ints  # (n,)
    group_count: int

    def start(self, rng: np.random.Generator) -> Floats:
        """The parameters to begin with, (p,)."""
        ...

    def gradients(self, parameters: Floats, rows: Ints) -> Gradients:
        """The gradients of the loss of the records `rows` (b,)."""
        ...

    def classifier(self, parameters: Floats) -> Classifier:
        """The rule with these parameters."""
        ...


@dataclass(frozen=True, eq=False)
class DescentEpoch:
    """What a descent shows of itself at the end of an epoch: the model, the privacy spent so far,
    and its state.

    The state's arrays are parameters and velocity (p,), the clipping bounds (groups,) of the last
    step and their means over the epoch; its facts are the number of steps taken and the state of
    the generator of the noise. `whole_spending` is what all `steps` release.
    """

    model: Differentiable
    steps: PlannedSteps
    whole_spending: Spending
    state: TrainingState

    @property
    def epoch(self) -> int:
        """The number of epochs that are over."""
        return self.state.epoch

    @property
    def step(self) -> int:
        """The number of steps taken."""
        return int(self.state.facts["step"])

    @property
    def is_last(self) -> bool:
        """Whether no step is left."""
        return self.step == self.steps.count

    @property
    def parameters(self) -> Floats:
        """(p,)."""
        return self.state.arrays["parameters"]

    @property
    def mean_bounds(self) -> Floats:
        """The clipping bounds of each group, means over the epoch, (groups,)."""
        return self.state.arrays["mean_bounds"]

    @property
    def spending(self) -> Spending:
        """What the steps taken have released."""
        return self.whole_spending.after(self.step)


@dataclass(frozen=True, eq=False)
class BatchGradients:
    """What an algorithm sees of a batch: norms (b,) and weighted sums of its gradients, groups
    (b,), and its draw.
    """

    gradients: Gradients
    groups: Ints
    draw: Draw

    @cached_property
    def norms(self) -> Floats:
        """|g_i|, (b,)."""
        return self.gradients.norms

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i g_i, (p,)."""
        return self.gradients.total(weights)


# (a batch, clipping bounds (groups,) before, generator) -> (sum of gradients (p,), clipping bounds
# now)
BatchRule = Callable[[BatchGradients, Floats, np.random.Generator], tuple[Floats, Floats]]


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
    """The classifier at the end of all steps; `clip_norm` is the clipping bound of every group to
    begin with.

    Start, batches and noise have generators of their own: two algorithms with one seed see the same
    batches.
    """
    start_rng, batch_rng, noise_rng = rng.spawn(3)
    w, bounds = model.start(start_rng), np.full(model.group_count, clip_norm)  # (p,), (groups,)
    last = run_epochs(
        _state(0, 0, w, np.zeros_like(w), bounds, bounds, noise_rng),
        lambda state: _epochs(model, rule, steps, state, batch_rng, noise_rng),
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
    """The states at the end of each epoch after `state`; batches are drawn from the first on, taken
    or not.
    """
    noise_rng.bit_generator.state = state.facts["noise"]
    w, velocity, bounds = (state.arrays[name] for name in ("parameters", "velocity", "bounds"))
    training, epoch, first = steps.training, state.epoch, state.facts["step"]
    totals = np.zeros_like(bounds)
    for batch in islice(steps.draw(batch_rng), first, None):
        found = BatchGradients(model.gradients(w, batch.rows), model.groups[batch.rows], batch.draw)
        total, bounds = rule(found, bounds, noise_rng)  # (p,), (groups,)
        velocity = (
            training.momentum * velocity + total / training.batch_size + training.regularisation * w
        )
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
    """The state that a descent can go on from."""
    arrays = {"parameters": w, "velocity": velocity, "bounds": bounds, "mean_bounds": means}
    return TrainingState(epoch, arrays, {"step": step, "noise": noise_rng.bit_generator.state})
