"""The numbers of epochs and the batch sizes of games between a generator and its critics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpfair_cli.contracts.parameters import Count, CountOrZero, check_fields

CRITIC_STEPS = 2  # steps of each critic in a round; our choice, also that of the circulated code
Goal = Literal["fool", "minimax"]
"""The kind of loss of the network that plays against a critic; see `critics.opponent_loss`."""


@dataclass(frozen=True)
class GameSchedule:
    """The length of the training of a game; an epoch has one round for each batch of the data."""

    epochs: Count = 40
    """The number of epochs of the game."""
    pretraining_epochs: CountOrZero = 5
    """The number of epochs in which the autoencoder is trained before the game."""
    batch_size: Count = 200
    """The number of records of a batch."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_GAME = GameSchedule()


@dataclass(frozen=True)
class CausalSchedule:
    """The length of the training of a causal game; an epoch has one round for each batch.

    xu2021 gives neither number. Our numbers, which give 2,600 rounds on adult_binary, were chosen
    without fairness, by the distance of the generator's distribution from the tables of the causal
    graph estimated from the data.
    """

    epochs: Count = 20
    """Passes over the data."""
    batch_size: Count = 500
    """Records of a round."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_CAUSAL = CausalSchedule()
