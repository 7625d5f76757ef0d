"""A bar over the epochs of a long training run, in whichever process it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tqdm import tqdm

from dpfair_cli.contracts.training_context import TrainingState

SECONDS = 2.0  # a shorter run shows nothing


class EpochBar:
    """Shows training runs after some `words`, with the numbers of their states; says how long the rest takes."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __call__(self, states: Iterator[TrainingState], *, epochs: int, done: int) -> Iterator[TrainingState]:
        """The states; an epoch counts as over when the next one is asked for."""
        look: dict[str, Any] = {"unit": "epoch", "delay": SECONDS, "mininterval": 0, "miniters": 1, "leave": False}
        with tqdm(desc=self.words, total=epochs, initial=done, **look) as bar:
            for state in states:
                yield state
                bar.set_postfix(state.numbers, refresh=False)
                bar.update(state.epoch - bar.n)
