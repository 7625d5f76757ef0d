"""The number of steps, the batches and the learning rates of a training run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import numpy as np

from dpfair_cli.contracts.parameters import (
    AtLeast,
    Below,
    Count,
    NotNegativeFinite,
    PositiveFinite,
    check_fields,
)
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.mechanisms.batches import Batch, Sampling, poisson_batches, shuffled_batches

RateSchedule = Literal["constant", "inverse_root", "t^-0.25", "decaying", "t^-0.75"]
"""The learning rate of step t of T: r, r / sqrt(T), r t^-0.25, r / sqrt(t) or r t^-0.75."""


@dataclass(frozen=True)
class TrainingSchedule:
    """The settings of gradient descent that all methods share."""

    epochs: Count = 20
    """The number of passes over the data."""
    batch_size: Count = 256
    """The number of records of a batch; for Poisson batches the expected number."""
    batches: Sampling = "poisson"
    """How batches are sampled."""
    learning_rate: PositiveFinite = 0.5
    """The learning rate r."""
    schedule: RateSchedule = "constant"
    """How the learning rate changes from step to step."""
    momentum: Annotated[float, AtLeast(0), Below(1)] = 0.0
    """The share of the last velocity that a step keeps."""
    regularisation: NotNegativeFinite = 0.0
    """The factor of weight decay."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_SCHEDULE = TrainingSchedule()


@dataclass(frozen=True)
class PlannedSteps:
    """The steps of a training run.

    Raises:
        ValueError: a batch is larger than the data, or all steps are skipped.
    """

    training: TrainingSchedule  # the settings
    n: int  # the number of records
    skipped_steps: int = 0  # the number of steps that are left out at the end

    def __post_init__(self) -> None:
        if self.training.batch_size > self.n:
            raise ValueError(
                f"batch_size must be from 1 to {self.n}, the number of records, got "
                f"{self.training.batch_size}"
            )
        if not 0 <= self.skipped_steps < self._unskipped[-1]:
            most = self._unskipped[-1] - 1
            raise ValueError(f"skipped_steps must be from 0 to {most}, got {self.skipped_steps}")

    @cached_property
    def _unskipped(self) -> list[int]:
        """The number of training steps up to the end of each epoch, if none are skipped."""
        passes, size = range(1, self.training.epochs + 1), self.training.batch_size
        if self.training.batches == "shuffled":
            # the last batch of a pass has the records that are left
            return [k * math.ceil(self.n / size) for k in passes]
        return [math.ceil(k * self.n / size) for k in passes]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The number of steps up to the end of each epoch, of which the last may be incomplete."""
        # skipped steps may end the training within an epoch
        whole_epochs = [end for end in self._unskipped if end < self.count]
        return (*whole_epochs, self.count)

    @cached_property
    def count(self) -> int:
        """The number of steps of the training run."""
        return self._unskipped[-1] - self.skipped_steps

    def rate(self, step: int) -> float:
        """The learning rate of the step with the number `step`, counted from 1."""
        # squared, so that one root serves all schedules
        squared_divisors = {
            "constant": 1.0,
            "inverse_root": self.count,
            "t^-0.25": step**0.5,
            "decaying": step,
            "t^-0.75": step**1.5,
        }
        return self.training.learning_rate / math.sqrt(squared_divisors[self.training.schedule])

    @cached_property
    def noisy_steps(self) -> NoisySteps:
        """The steps in the form that an accountant needs, whose noise multiplier a method sets."""
        size, batches = self.training.batch_size, self.training.batches
        # one over the batches of a pass, by which the accountant counts passes
        rate = 1 / math.ceil(self.n / size) if batches == "shuffled" else size / self.n
        # the algorithm replaces the infinite noise by its own
        return NoisySteps(math.inf, rate, self.count, batches)

    def draw(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yields the batches of the training run, in the order of the steps."""
        size = self.training.batch_size
        if self.training.batches == "shuffled":
            return shuffled_batches(self.n, batch_size=size, steps=self.count, rng=rng)
        return poisson_batches(self.n, sampling_rate=size / self.n, steps=self.count, rng=rng)
