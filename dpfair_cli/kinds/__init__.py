"""The kinds of data that methods are fitted to: records, images, graphs, variables.

Each kind is one file and implements `Data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.guarantees import Neighbours

Drawn = TypeVar("Drawn", covariant=True)


class Data(Protocol):
    """n records of any kind, immutable: what the toolkit needs to know of data of every kind."""

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
        """Whether ranges and levels are public or read from the data; then no guarantee holds."""
        ...

    def counts(self) -> dict[str, Any]:
        """Statistics that identify the data set: numbers of records, features and group members."""
        ...

    def fingerprint(self) -> str:
        """SHA-256 of everything that a fit reads."""
        ...

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Self, Self]]:
        """`count` pairs of neighbouring data sets, random and adversarial, from these records."""
        ...

    def altered(
        self, other: Self, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Self, Self]:
        """A pair of neighbours with one value changed: a step of the search for worse pairs.

        Args:
            other: A neighbour of this data set.
            relation: In what the two differ.
            rng: The source of randomness.
        """
        ...

    def differing_rows(self, other: Self) -> Ints:
        """The rows in which a neighbour differs; empty where a record is not a row."""
        ...


@runtime_checkable
class Population(Protocol[Drawn]):
    """A distribution that data are drawn from, with the true parameters; an alternative to data."""

    def draw(self, rng: np.random.Generator) -> tuple[Drawn, Any]:
        """Data of one kind, and the truth about them, such as the graph that generated them."""
        ...

    def counts(self) -> dict[str, Any]:
        """The fixed parameters of the distribution, such as the nodes and arcs of its graph."""
        ...
