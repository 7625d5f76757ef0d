"""Stochastic gradient descent in which an algorithm decides what a batch gives: the loop that all of them share.

A model says what the gradient of each record is, an algorithm's rule turns those of a batch into one (noisy) sum, and
the loop does the rest: w <- w - r (sum / b + regularisation w), with momentum. The penalty is weight decay: outside
the clipped gradients, since it reads no record.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, Literal, Protocol

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.mechanisms.accounting.training_noise import Spending
from dpfair_cli.mechanisms.batches import Batch, Draw, Sampling, poisson_batches, shuffled_batches

Schedule = Literal["constant", "inverse_root", "decaying"]


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


@dataclass(frozen=True)
class Course:
    """How long to train on how large batches of n records, with which steps.

    `learning_rate` is that of every step ("constant"), or divided by the root of their number T ("inverse_root"), or of
    the number t of the step ("decaying"). `skipped_steps` are left out at the end.

    Raises:
        ValueError: a batch larger than the data, or a number or a word outside its range.
    """

    n: int
    epochs: int
    batch_size: int
    batches: Sampling
    learning_rate: float
    schedule: Schedule
    momentum: float
    regularisation: float
    skipped_steps: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.batch_size <= self.n:
            raise ValueError(f"batch_size must lie between 1 and the {self.n} records, got {self.batch_size}")
        if not (self.epochs >= 1 and self.learning_rate > 0 and 0 <= self.momentum < 1 and self.regularisation >= 0):
            raise ValueError("epochs and learning_rate must be positive, momentum in [0, 1), regularisation >= 0")
        if not 0 <= self.skipped_steps < self.ends[-1]:
            raise ValueError(f"skipped_steps must lie between 0 and {self.ends[-1] - 1}, got {self.skipped_steps}")

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """How many steps have been taken at the end of each epoch, if none is skipped."""
        passes = range(1, self.epochs + 1)
        if self.batches == "shuffled":
            return tuple(k * math.ceil(self.n / self.batch_size) for k in passes)
        return tuple(math.ceil(k * self.n / self.batch_size) for k in passes)

    @cached_property
    def steps(self) -> int:
        """The number of steps T."""
        return self.ends[-1] - self.skipped_steps

    def rate(self, step: int) -> float:
        """The learning rate r of a step, counted from 1."""
        divisor = {"constant": 1, "inverse_root": self.steps, "decaying": step}[self.schedule]
        return self.learning_rate / math.sqrt(divisor)

    @cached_property
    def noisy_steps(self) -> NoisySteps:
        """What an accountant must know of the batches; the noise is for the algorithm to say."""
        rate = 1 / math.ceil(self.n / self.batch_size) if self.batches == "shuffled" else self.batch_size / self.n
        return NoisySteps(math.inf, rate, self.steps, self.batches)

    def draw(self, rng: np.random.Generator) -> Iterator[Batch]:
        """The batches, in order."""
        if self.batches == "shuffled":
            return shuffled_batches(self.n, batch_size=self.batch_size, steps=self.steps, rng=rng)
        return poisson_batches(self.n, sampling_rate=self.batch_size / self.n, steps=self.steps, rng=rng)


@dataclass(frozen=True, eq=False)
class State:
    """Where a training run stands at the end of an epoch, and all that it needs to go on from there.

    `bounds` (groups,) are the clipping bounds of the last step, `mean_bounds` their mean over the epoch, `noise` the
    state of the generator of the noise.
    """

    epoch: int
    step: int
    parameters: Floats
    velocity: Floats
    bounds: Floats
    mean_bounds: Floats
    noise: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Training:
    """A run as its watcher sees it: the model, the course, what is released of every batch, and the state."""

    model: Differentiable
    course: Course
    spending: Spending
    state: State


@dataclass(frozen=True, eq=False)
class BatchGradients:
    """What an algorithm sees of a batch: norms (b,) and weighted sums of its gradients, groups (b,), and its draw."""

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


# (a batch, clipping bounds (groups,) before, generator) -> (sum of gradients (p,), clipping bounds now); its keywords
# are all its settings
Rule = partial[tuple[Floats, Floats]]
Look = Callable[[Training], Any]  # what it returns is kept: numbers, text, and lists and mappings of them


class Keeper(Protocol):
    """Where a training run that was cut off finds its last state, and what was seen of the epochs before."""

    def find(self, name: str, course: Course) -> tuple[State, list[Any]] | None:
        """The last state of the run `name` over a course, if there is one; called when the run begins."""
        ...

    def keep(self, name: str, state: State, seen: list[Any]) -> None:
        """Keep the state of the run `name` at the end of an epoch."""
        ...


class Forgetful:
    """Keeps nothing."""

    def find(self, name: str, course: Course) -> tuple[State, list[Any]] | None:
        """Nothing."""
        return None

    def keep(self, name: str, state: State, seen: list[Any]) -> None:
        """Do nothing."""


@dataclass(frozen=True, eq=False)
class Ended:
    """A training run that has ended, and what was seen of it, one entry an epoch."""

    training: Training
    seen: list[Any]


_watcher: ContextVar[tuple[Look, str, list[Ended]] | None] = ContextVar("watcher", default=None)
_keeper: ContextVar[Keeper | None] = ContextVar("keeper", default=None)


@contextmanager
def watched(look: Look, name: str = "") -> Iterator[list[Ended]]:
    """Look at every training run inside the block at the end of each epoch; what is seen is not private.

    What is kept of a run serves every look of the same `name`.
    """
    ended: list[Ended] = []
    token = _watcher.set((look, name, ended))
    try:
        yield ended
    finally:
        _watcher.reset(token)


@contextmanager
def kept(keeper: Keeper) -> Iterator[None]:
    """Go on with the training runs that `keeper` knows, and let it keep those inside the block."""
    token = _keeper.set(keeper)
    try:
        yield
    finally:
        _keeper.reset(token)


def train(
    model: Differentiable, rule: Rule, course: Course, *, bounds: Floats, spending: Spending, rng: np.random.Generator
) -> Classifier:
    """The classifier at the end of the course; `bounds` (groups,) are the clipping bounds to begin with.

    Start, batches and noise have generators of their own: two algorithms with one seed see the same batches.
    """
    look, seen_as, ended = _watcher.get() or (lambda training: None, "", [])
    keeper, module = _keeper.get() or Forgetful(), sys.modules[rule.func.__module__]
    settings = f"{module.__name__} {getattr(module, 'VERSION', 0)} {rule.keywords} {course} {rng.bit_generator.state}"
    start_rng, batch_rng, noise_rng = rng.spawn(3)
    w = model.start(start_rng)  # (p,)
    name = f"{settings} {len(w)} {seen_as}"
    begin = State(0, 0, w, np.zeros_like(w), bounds, bounds, noise_rng.bit_generator.state)
    last, seen = keeper.find(name, course) or (begin, [])
    state = last
    for state in epochs(model, rule, course, last, batch_rng, noise_rng):
        seen.append(look(Training(model, course, spending.after(state.step), state)))
        keeper.keep(name, state, seen)
    ended.append(Ended(Training(model, course, spending.after(state.step), state), seen))
    return model.classifier(state.parameters)


def epochs(
    model: Differentiable,
    rule: Rule,
    course: Course,
    state: State,
    batch_rng: np.random.Generator,
    noise_rng: np.random.Generator,
) -> Iterator[State]:
    """The states at the end of each epoch after `state`; batches are drawn from the first on, taken or not."""
    noise_rng.bit_generator.state = state.noise
    w, velocity, bounds, epoch = state.parameters, state.velocity, state.bounds, state.epoch
    totals, first = np.zeros_like(bounds), state.step
    for batch in islice(course.draw(batch_rng), state.step, None):
        found = BatchGradients(model.gradients(w, batch.rows), model.groups[batch.rows], batch.draw)
        total, bounds = rule(found, bounds, noise_rng)  # (p,), (groups,)
        velocity = course.momentum * velocity + total / course.batch_size + course.regularisation * w
        w = w - course.rate(batch.draw.step) * velocity
        totals, step = totals + bounds, batch.draw.step
        if step in (course.ends[epoch], course.steps):
            epoch, means = epoch + 1, totals / (step - first)
            yield State(epoch, step, w, velocity, bounds, means, noise_rng.bit_generator.state)
            totals, first = np.zeros_like(bounds), step
