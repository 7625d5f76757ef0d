"""The number of epochs and the batch size of a causal game."""

from __future__ import annotations

from dataclasses import dataclass

from dpfair_cli.contracts.parameters import Count, check_fields


@dataclass(frozen=True)
class CausalSchedule:
    """The length of the training of a causal game; an epoch has one round for each batch.

    xu2021 gives neither number. Our numbers, which give 2,600 rounds on adult_binary, were chosen
    without fairness, by the distance of the generator's distribution from the tables of the causal
    graph estimated from the data.

    Raises:
        ValueError: a value is outside its range.
    """

    epochs: Count = 20
    """Passes over the data."""
    batch_size: Count = 500
    """Records of a round."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_CAUSAL = CausalSchedule()
