"""The kinds of data that methods are fitted to: records, images, graphs, variables.

Each kind is a module with a class that has the methods of `Data`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Literal, Protocol, Self, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.guarantees import Neighbours

Drawn = TypeVar("Drawn", covariant=True)


class Data(Protocol):
    """The interface of data of every kind: n records, which are never changed."""

    def __len__(self) -> int: ...

    def take(self, rows: Ints) -> Self:
        """The records whose indices are `rows`, in the order of `rows`."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a record that a fit to the data uses."""
        ...

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of the ranges and levels of the data: "public" facts or the "data" themselves.

        If ranges and levels are read from the data, no privacy guarantee holds.
        """
        ...

    def counts(self) -> dict[str, Any]:
        """Statistics that identify the data set: numbers of records, features and group members."""
        ...

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the data reads."""
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
        """The indices of the rows in which the neighbour `other` differs from this data set.

        The result is empty for data whose records are not rows.
        """
        ...


@runtime_checkable
class Population(Protocol[Drawn]):
    """A distribution from which a data source draws new data, with the truth about the data."""

    def draw(self, rng: np.random.Generator) -> tuple[Drawn, Any]:
        """Data drawn from the distribution, and the truth about them.

        The truth is, for example, the graph that generated the data.
        """
        ...

    def counts(self) -> dict[str, Any]:
        """The fixed parameters of the distribution, such as the number of nodes of its graph."""
        ...


def fingerprint(about: object, *arrays: NDArray[Any]) -> str:
    """The SHA-256 digest of the text of `about` and the bytes of the arrays."""
    # the text has shapes and names, so that the same bytes in another form differ
    found = hashlib.sha256(repr(about).encode())
    for array in arrays:
        found.update(array.tobytes())
    return found.hexdigest()


Sampled = TypeVar("Sampled", bound=Data)
SIZES = (2, 5, 200)  # one record counts most in small data; larger data are typical


def sample(data: Sampled, k: int, *, rng: np.random.Generator) -> Sampled:
    """The k-th of many samples of the data without replacement.

    The sizes of the samples are those of SIZES in turn, but not larger than the number of records.
    """
    size = min(SIZES[k % len(SIZES)], len(data))
    return data.take(rng.choice(len(data), size, replace=False))
