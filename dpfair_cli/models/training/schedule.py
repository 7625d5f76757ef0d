"""How long to train, in which batches and with which learning rate."""

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

RateSchedule = Literal["constant", "inverse_root", "decaying"]


@dataclass(frozen=True)
class TrainingSchedule:
    """The settings of gradient descent that all methods share.

    `learning_rate` is that of every step ("constant"), or divided by the root of their number T
    ("inverse_root"), or of the number t of the step ("decaying"); `regularisation` is weight decay.

    Raises:
        ValueError: a value outside its range.
    """

    epochs: Count = 20
    batch_size: Count = 256
    batches: Sampling = "poisson"
    learning_rate: PositiveFinite = 0.5
    schedule: RateSchedule = "constant"
    momentum: Annotated[float, AtLeast(0), Below(1)] = 0.0
    regularisation: NotNegativeFinite = 0.0

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_SCHEDULE = TrainingSchedule()


@dataclass(frozen=True)
class PlannedSteps:
    """The steps of a training run on n records; `skipped_steps` are left out at the end.

    Raises:
        ValueError: a batch larger than the data, or no step that is left.
    """

    training: TrainingSchedule
    n: int
    skipped_steps: int = 0

    def __post_init__(self) -> None:
        if self.training.batch_size > self.n:
            raise ValueError(
                f"batch_size must lie between 1 and the {self.n} records, got {self.training.batch_size}"
            )
        if not 0 <= self.skipped_steps < self._unskipped[-1]:
            most = self._unskipped[-1] - 1
            raise ValueError(
                f"skipped_steps must lie between 0 and {most}, got {self.skipped_steps}"
            )

    @cached_property
    def _unskipped(self) -> list[int]:
        """How many steps would have been taken at the end of each epoch, if none were skipped."""
        passes, size = range(1, self.training.epochs + 1), self.training.batch_size
        if self.training.batches == "shuffled":
            return [k * math.ceil(self.n / size) for k in passes]
        return [math.ceil(k * self.n / size) for k in passes]

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """How many steps have been taken at the end of each epoch, the last of which may be cut
        short.
        """
        return (*(end for end in self._unskipped if end < self.count), self.count)

    @cached_property
    def count(self) -> int:
        """The number of steps T."""
        return self._unskipped[-1] - self.skipped_steps

    def rate(self, step: int) -> float:
        """The learning rate r of a step, counted from 1."""
        divisor = {"constant": 1, "inverse_root": self.count, "decaying": step}[
            self.training.schedule
        ]
        return self.training.learning_rate / math.sqrt(divisor)

    @cached_property
    def noisy_steps(self) -> NoisySteps:
        """What an accountant must know of the batches; the noise is for the algorithm to say."""
        size, batches = self.training.batch_size, self.training.batches
        rate = 1 / math.ceil(self.n / size) if batches == "shuffled" else size / self.n
        return NoisySteps(math.inf, rate, self.count, batches)

    def draw(self, rng: np.random.Generator) -> Iterator[Batch]:
        """The batches, in order."""
        size = self.training.batch_size
        if self.training.batches == "shuffled":
            return shuffled_batches(self.n, batch_size=size, steps=self.count, rng=rng)
        return poisson_batches(self.n, sampling_rate=size / self.n, steps=self.count, rng=rng)
