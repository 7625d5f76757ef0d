"""The inputs of a layout: the names that a spec may use, the finished table, published points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dpfair_cli.contracts.errors import nearest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Vocabulary:
    """The names that a layout of a spec may refer to."""

    scores: frozenset[str]
    """The scores of the task."""

    outputs: frozenset[str]
    """The other outputs of the task."""

    parameters: frozenset[str]
    """The parameters by which runs differ, and "dataset" and "method"."""

    methods: frozenset[str]
    """The labels of the methods."""

    def require(self, kind: str, words: Iterable[str]) -> None:
        """Refuses a word that is not a name of this `kind`, which is a field such as "scores".

        Raises:
            ValueError: a word is unknown; the message proposes the most similar name.
        """
        known = getattr(self, kind)
        for word in words:
            if word not in known:
                raise ValueError(f"unknown {kind[:-1]} {word!r}: {nearest(word, known)}")


@dataclass(frozen=True)
class Placement:
    """The rule that places published cells as points in a figure.

    A published cell belongs to the run of the figure that has the parameters of the cell. The
    parameter `at` and the parameters in `apart` may differ.
    """

    x: str = ""
    """The parameter of the horizontal axis; empty if no cell becomes a point."""

    scores: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """score of the figure -> `metric` of the published cells and other values, such as a group."""

    artefacts: tuple[str, ...] = ()
    """Other artefacts of the paper whose cells are drawn too."""

    at: str = ""
    """The parameter whose value is the horizontal place of a cell without a value of `x`."""

    apart: tuple[str, ...] = ()
    """Parameters in which a cell and the run of the figure may differ."""


class PublishedPoint(NamedTuple):
    """A published cell as a point of a figure."""

    dataset: str
    """The data set."""

    method: str
    """The label of the method."""

    metric: str
    """The score that the figure shows."""

    x: float | str
    """The place of the point on the horizontal axis."""

    mean: float
    """The published mean."""

    std: float
    """The published standard deviation; NaN if none is printed."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table of results, ready to be printed."""

    title: str
    """The title above the table."""

    notes: tuple[str, ...]
    """Sentences about the table, printed with it."""

    numbers: pd.DataFrame
    """The lines of the table as numbers, for the CSV file."""

    formatted: pd.DataFrame
    """The same lines as formatted text."""

    published: tuple[PublishedPoint, ...] = ()
    """The published cells that the picture of the artefact can show as points."""

    @property
    def columns(self) -> list[str]:
        """The headings of the columns of the table, as they are printed."""
        return [str(name) for name in self.formatted]

    @property
    def lines(self) -> list[list[str]]:
        """The lines of the table, each as the texts of its cells."""
        return [list(line) for line in self.formatted.to_numpy()]
