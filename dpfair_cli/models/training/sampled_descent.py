"""The settings of descent on Poisson samples, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.parameters import Count, PositiveFinite, check_fields


@dataclass(frozen=True)
class SampledDescent:
    """The settings of descent on Poisson samples of the records."""

    epochs: Count = 20
    """The expected number of passes over the data."""
    batch_size: Count = 1024
    """The expected number of records of a batch."""
    learning_rate: PositiveFinite = 2.0
    """The learning rate of the weights."""
    clip_norm: PositiveFinite = 2.0
    """The norm to which the gradient of a record is clipped."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_SAMPLED = SampledDescent()
