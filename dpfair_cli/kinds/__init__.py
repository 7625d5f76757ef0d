"""The kinds of data that methods are fitted to: records, images, graphs, variables.

Each kind is a module with a class that has the methods of `Data`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.guarantees import Neighbours

Drawn = TypeVar("Drawn", covariant=True)


class Data(Protocol):
    """The interface of data of every kind: n records, which are never changed."""

    def __len__(self) -> int: ...

    def take(self, rows: Ints) -> Self:
        """The records at `rows`, in that order."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a record that a fit uses."""
        ...

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of ranges and levels, "public" facts or the "data".

        If ranges and levels are read from the data, no privacy guarantee holds.
        """
        ...

    def counts(self) -> dict[str, Any]:
        """Statistics that identify the data set: numbers of records, features and group members."""
        ...

    def fingerprint(self) -> str:
        """The SHA-256 of everything that a fit reads."""
        ...

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Self, Self]]:
        """`count` pairs of neighbouring data sets, random and adversarial, from these records."""
        ...

    def altered(
        self, other: Self, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Self, Self]:
        """A new pair of neighbours, made from this data set and `other` by changing one value.

        An audit uses this method in the search for the pair of neighbours with the largest privacy
        loss.

        Args:
            other: A neighbour of this data set.
            relation: The relation of neighbours that the new pair must have.
            rng: The source of randomness.
        """
        ...

    def differing_rows(self, other: Self) -> Ints:
        """The rows in which a neighbour differs; empty for data whose records are not rows."""
        ...


@runtime_checkable
class Population(Protocol[Drawn]):
    """A distribution from which a data source draws new data, with the truth about the data."""

    def draw(self, rng: np.random.Generator) -> tuple[Drawn, Any]:
        """Data of one kind, and the truth about them, such as the graph that generated them."""
        ...

    def counts(self) -> dict[str, Any]:
        """The fixed parameters of the distribution, such as the nodes and arcs of its graph."""
        ...
