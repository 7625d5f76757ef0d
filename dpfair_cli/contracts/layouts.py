"""What a layout is given: the words that it may use, the finished table of the artefact, and
published points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dpfair_cli.contracts.errors import nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Vocabulary:
    """The words that a layout may use: what its task scores and outputs, and what its runs are told
    apart by.
    """

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


@dataclass(frozen=True)
class Placement:
    """How published cells become points of a picture over `x` (empty: they do not).

    `scores` says of each score that is drawn under which `metric` its cells stand, and with which
    other values, such as a group. Cells are those of the artefact itself and of `artefacts` of the
    same paper. A cell stands where its own value of `x` is, or else the value of the parameter `at`
    of its run. A run of the picture stands for it that has all parameters of that run but for `at`
    and those in `apart`.
    """

    x: str = ""
    scores: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    artefacts: tuple[str, ...] = ()
    at: str = ""
    apart: tuple[str, ...] = ()


class PublishedPoint(NamedTuple):
    """A published cell as a point of a picture: on which line, where on the horizontal axis, and
    what it says.
    """

    dataset: str
    method: str
    metric: str
    x: float | str
    mean: float
    std: float


@dataclass(frozen=True, eq=False)
class Table:
    """A finished table: its `numbers` for the CSV file and, line by line the same, `formatted` for
    the reader.

    `published` are the published cells that the picture of the artefact can show as points.
    """

    title: str
    notes: tuple[str, ...]
    numbers: pd.DataFrame
    formatted: pd.DataFrame
    published: tuple[PublishedPoint, ...] = ()

    @property
    def columns(self) -> list[str]:
        """The names of the formatted columns."""
        return [str(name) for name in self.formatted]

    @property
    def lines(self) -> list[list[str]]:
        """The formatted lines, a text for each column."""
        return [list(line) for line in self.formatted.to_numpy()]
