"""What a layout is given: the words that it may use, and the finished table of the artefact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpfair_cli.contracts.errors import nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Vocabulary:
    """The words that a layout may use: what its task scores and outputs, and what its runs are told apart by."""

    scores: frozenset[str]
    outputs: frozenset[str]
    parameters: frozenset[str]
    methods: frozenset[str]

    def require(self, kind: str, words: Iterable[str]) -> None:
        """Refuse a word that is none of a kind.

        Raises:
            ValueError: proposes the nearest.
        """
        known = getattr(self, kind)
        for word in words:
            if word not in known:
                raise ValueError(f"no {kind[:-1]} {word!r}: {nearest(word, known)}")


@dataclass(frozen=True, eq=False)
class Table:
    """A finished table: its `numbers` for the CSV file and, line by line the same, `formatted` for the reader."""

    title: str
    notes: tuple[str, ...]
    numbers: pd.DataFrame
    formatted: pd.DataFrame

    @property
    def columns(self) -> list[str]:
        """The names of the formatted columns."""
        return [str(name) for name in self.formatted]

    @property
    def lines(self) -> list[list[str]]:
        """The formatted lines, a text for each column."""
        return [list(line) for line in self.formatted.to_numpy()]
