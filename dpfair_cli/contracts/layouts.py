"""How an artefact is shown: what every layout says of itself, and the table that each of them has at hand.

A layout is one file in `reporting/layouts/` whose stem is its key in a spec. It declares LAYOUT, a frozen dataclass
whose fields are the keys of its section.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dpfair_cli.contracts.errors import nearest

if TYPE_CHECKING:
    import pandas as pd

    from dpfair_cli.contracts.specs import Spec


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


class Layout(ABC):
    """How the rows of an artefact become files."""

    picture: ClassVar[str] = ""  # the file of its picture; empty for a table

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """What names a line, in order: parameters, and where their place matters "dataset" and "method"."""

    @property
    @abstractmethod
    def scores(self) -> tuple[str, ...]:
        """Every score that is shown: those of the source first, those that guard the reader last."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The parameters that tell the points of an artefact apart, besides data set and method."""
        return tuple(name for name in self.columns if name not in ("dataset", "method"))

    @abstractmethod
    def check(self, known: Vocabulary) -> None:
        """Refuse words that nothing of the artefact goes by.

        Raises:
            ValueError: names the word and the nearest that there is.
        """

    @abstractmethod
    def write(
        self, rows: pd.DataFrame, table: Table, spec: Spec, folder: Path, *, notes: Sequence[str] = ()
    ) -> list[Path]:
        """The files of an artefact in its folder; the same rows give the same bytes."""
