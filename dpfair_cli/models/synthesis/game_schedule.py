"""The numbers of epochs and the batch size of a game between a generator and its critics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpfair_cli.contracts.parameters import Count, CountOrZero, check_fields

CRITIC_STEPS = 2  # steps of each critic in a round; our choice
Goal = Literal["fool", "minimax"]
"""The loss of a critic's opponent; see `critics.opponent_loss`."""


@dataclass(frozen=True)
class GameSchedule:
    """The length of the training of a game; an epoch has one round for each batch of the data.

    Raises:
        ValueError: a value is outside its range.
    """

    epochs: Count = 40
    """Epochs of the game."""
    pretraining_epochs: CountOrZero = 5
    """Epochs of the autoencoder before the game."""
    batch_size: Count = 200
    """Records of a batch."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_GAME = GameSchedule()
