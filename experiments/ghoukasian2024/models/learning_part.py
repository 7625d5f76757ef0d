"""The settings with which a classifier is learned before its decisions are flipped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.models.regression.full_design import NumberInputs


@dataclass(frozen=True)
class LearningSteps:
    """The settings of the learning part.

    Raises:
        ValueError: a value is outside its range.
    """

    learning_share: dp.Fraction = 2 / 3
    """The share of the records from which the classifier is learned."""
    numbers: NumberInputs = "in_range"
    """Whether numbers are scaled by public ranges, or by means and deviations of the records."""
    clip_norm: dp.PositiveFinite = 1.5
    """The L2 norm to which the gradient of a record is clipped."""
    epochs: dp.Count = 50
    """The number of passes over the learning part."""
    batch_size: dp.Count = 1024
    """The largest expected number of records of a batch."""
    learning_rate: dp.PositiveFinite = 0.01
    """The learning rate."""

    def __post_init__(self) -> None:
        dp.check_fields(self)

    def records(self, n: int) -> int:
        """The number of records of n from which the classifier is learned."""
        # at least one, so that a tiny data set has a batch
        return max(1, round(self.learning_share * n))

    def noisy_steps(self, n: int) -> NoisySteps:
        """The steps for n records; the algorithm sets the noise multiplier."""
        batches = math.ceil(self.records(n) / self.batch_size)  # of a pass
        return NoisySteps(math.inf, 1 / batches, self.epochs * batches)


DEFAULT_LEARNING = LearningSteps()
