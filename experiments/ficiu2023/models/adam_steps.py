"""The optimiser Adam, with its usual constants, and the number of steps of a training.

Source: Kingma and Ba 2015, Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.models.training.epochs import Iterate, take_steps

FIRST, SECOND, SMALL = 0.9, 0.999, 1e-8  # beta 1, beta 2, epsilon of Adam


@dataclass(frozen=True)
class AdamSchedule:
    """The settings of a training with Adam.

    Raises:
        ValueError: a value is outside its range.
    """

    epochs: dp.Count = 20
    """The number of passes over the data."""
    batch_size: dp.Count = 20
    """The number of records of a batch; for Poisson batches about the expected number."""
    learning_rate: dp.PositiveFinite = 1e-3
    """The learning rate of Adam."""

    def __post_init__(self) -> None:
        dp.check_fields(self)

    def batches_per_epoch(self, n: int) -> int:
        """The number of batches that n records make.

        Raises:
            ValueError: a batch is larger than the data.
        """
        if self.batch_size > n:
            raise ValueError(
                f"batch_size must be from 1 to {n}, the number of records, got {self.batch_size}"
            )
        return math.ceil(n / self.batch_size)

    def noisy_steps(self, n: int, noise_multiplier: float) -> NoisySteps:
        """The steps of a private training on Poisson batches of n records."""
        count = self.batches_per_epoch(n)
        return NoisySteps(noise_multiplier, 1 / count, count * self.epochs)


DEFAULT_ADAM = AdamSchedule()


def descend(
    parameters: dp.Floats,
    gradient: Callable[[dp.Floats, dp.Batch], dp.Floats],
    batches: Iterable[dp.Batch],
    *,
    learning_rate: float,
    epochs: int,
    steps_per_epoch: int,
    context: dp.TrainingContext,
    rng: np.random.Generator,
) -> dp.Floats:
    """The parameters after one step of Adam for each batch, of the shape of `parameters`.

    Args:
        parameters: The parameters before the first step.
        gradient: A function of the parameters and a batch: the mean gradient, exact or noisy.
        batches: The batches of all steps.
        learning_rate: The learning rate.
        epochs: The number of passes over the data.
        steps_per_epoch: The number of steps of a pass.
        context: The progress display and the checkpoints.
        rng: The generator of the noise of the gradients.
    """

    def step(iterate: Iterate, batch: dp.Batch) -> Iterate:
        w, mean, square, done = iterate
        g, t = gradient(w, batch), int(done) + 1
        # the running means as corrections: fewer products than beta m + (1 - beta) g
        mean = mean + (1 - FIRST) * (g - mean)
        square = square + (1 - SECOND) * (g * g - square)
        # both means begin at 0; dividing by 1 - beta^t takes this bias away
        root = np.sqrt(square / (1 - SECOND**t)) + SMALL
        return w - (learning_rate / (1 - FIRST**t)) * mean / root, mean, square, np.asarray(t)

    # everything that a step changes, so that a checkpoint can go on from it
    zeros = np.zeros_like(parameters)
    w, *_ = take_steps(
        (parameters, zeros, zeros, np.asarray(0)),
        step,
        batches,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        context=context,
        rng=rng,
    )
    return w
