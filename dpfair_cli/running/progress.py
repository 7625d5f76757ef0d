"""A bar over the epochs of a long training run, in whichever process it runs."""

from __future__ import annotations

from typing import Any

from tqdm import tqdm

from dpfair_cli.models.training.descent import Course, Keeper, State

SECONDS = 2.0  # a shorter run shows nothing


class EpochBar:
    """Shows the training runs that `keeper` keeps, after `words`; the bar says how long the rest takes."""

    def __init__(self, words: str, keeper: Keeper) -> None:
        self.words, self.keeper = words, keeper

    def find(self, name: str, course: Course) -> tuple[State, list[Any]] | None:
        """As in Keeper."""
        found = self.keeper.find(name, course)
        done = found[0].epoch if found else 0
        look: dict[str, Any] = {"unit": "epoch", "delay": SECONDS, "mininterval": 0, "miniters": 1, "leave": False}
        self.bar = tqdm(desc=self.words, total=course.epochs, initial=done, **look)
        return found

    def keep(self, name: str, state: State, seen: list[Any]) -> None:
        """As in Keeper."""
        self.keeper.keep(name, state, seen)
        self.bar.update(state.epoch - self.bar.n)
        if state.epoch == self.bar.total:
            self.bar.close()
