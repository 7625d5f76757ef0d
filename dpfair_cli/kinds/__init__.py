"""The kinds of data: records, images, variables. One kind a file, and all of them are asked the
same questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.guarantees import Neighbours

Drawn = TypeVar("Drawn", covariant=True)


class Data(Protocol):
    """n records of any kind, frozen: everything that the toolkit asks of data without knowing what
    they are.
    """

    def __len__(self) -> int: ...

    def take(self, rows: Ints) -> Self:
        """The records at `rows`, in that order."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of what a fit sees of a record."""
        ...

    @property
    def bounds(self) -> Literal["public", "data"]:
        """Whether ranges and levels are public knowledge, or were read from the data: then no
        privacy guarantee holds.
        """
        ...

    def counts(self) -> dict[str, Any]:
        """What a data set of this kind must show, by name: numbers of records, of features, of
        records per group.
        """
        ...

    def fingerprint(self) -> str:
        """SHA-256 of everything that a fit reads."""
        ...

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Self, Self]]:
        """`count` pairs of neighbouring data sets, random and adversarial, made from these records."""
        ...

    def altered(
        self, other: Self, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Self, Self]:
        """Neighbours again: this and `other`, a neighbour, with one value changed (a step in search
        of worse ones).
        """
        ...

    def differing_rows(self, other: Self) -> Ints:
        """The rows of the records in which a neighbour differs; none where a record is no row."""
        ...


@runtime_checkable
class Population(Protocol[Drawn]):
    """What a made data set may give instead of data: a law to draw them from, with the truth behind
    them.
    """

    def draw(self, rng: np.random.Generator) -> tuple[Drawn, Any]:
        """Data of one kind, and what is true of them, such as the graph that made them."""
        ...

    def counts(self) -> dict[str, Any]:
        """What is fixed about the law, such as the nodes and arcs of its graph."""
        ...
