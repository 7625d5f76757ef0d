"""How long the networks of a game are trained, and in which batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpfair_cli.contracts.parameters import Count, CountOrZero, check_fields

CRITIC_STEPS = 2  # a round
Goal = Literal["fool", "minimax"]  # of whoever plays against a critic: critics.to_make_small


@dataclass(frozen=True)
class GameSchedule:
    """`pretraining_epochs` of the autoencoder, then `epochs` of the game: as many rounds as batches
    make up the data.

    Raises:
        ValueError: a value outside its range.
    """

    epochs: Count = 40
    pretraining_epochs: CountOrZero = 5
    batch_size: Count = 200

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_GAME = GameSchedule()
