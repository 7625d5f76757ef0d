"""Pairs of printed values of a work, which a statistical rule compares without a run.

A printed value is a mean with the standard deviation and the number of the runs behind the mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.fingerprints import fingerprint


class PrintedSide(NamedTuple):
    """The printed values on one side of all comparisons."""

    mean: Floats
    """The means, (n,)."""
    std: Floats
    """The standard deviations, NaN where none is printed, (n,)."""
    runs: Ints
    """The numbers of runs, (n,)."""

    def take(self, rows: Ints) -> PrintedSide:
        """The values of the comparisons whose indices are `rows`."""
        return PrintedSide(self.mean[rows], self.std[rows], self.runs[rows])


@dataclass(frozen=True, eq=False)
class PrintedComparisons:
    """n comparisons of a first with a second printed value."""

    names: tuple[str, ...]
    """The name of each comparison, such as "Adult, accuracy"."""
    metrics: tuple[str, ...]
    """The score of each comparison, such as "accuracy"."""
    first: PrintedSide
    """The first values."""
    second: PrintedSide
    """The second values."""

    def __post_init__(self) -> None:
        lengths = {len(column) for column in (self.metrics, *self.first, *self.second)}
        if lengths != {len(self.names)}:
            raise ValueError("every comparison must have a name, a score and two printed values")
        if not all(np.isfinite(side.mean).all() for side in (self.first, self.second)):
            raise ValueError("every printed mean must be finite")
        for column in (*self.first, *self.second):
            column.flags.writeable = False

    def __len__(self) -> int:
        return len(self.names)

    def take(self, rows: Ints) -> PrintedComparisons:
        """The comparisons whose indices are `rows`, in the order of `rows`."""
        names = tuple(self.names[row] for row in rows)
        metrics = tuple(self.metrics[row] for row in rows)
        return PrintedComparisons(names, metrics, self.first.take(rows), self.second.take(rows))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values of a comparison."""
        return ("first", "second")

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of ranges: printed values are public."""
        return "public"

    def counts(self) -> dict[str, Any]:
        """The number of comparisons."""
        return {"rows": len(self)}

    def fingerprint(self) -> str:
        """The SHA-256 digest of all names and values."""
        return fingerprint((self.names, self.metrics), *self.first, *self.second)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[PrintedComparisons, PrintedComparisons]]:
        """Raises an error, because printed values are public and have no neighbours.

        Raises:
            ValueError: always.
        """
        _refuse()

    def altered(
        self, other: PrintedComparisons, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[PrintedComparisons, PrintedComparisons]:
        """Raises an error, because printed values are public and have no neighbours.

        Raises:
            ValueError: always.
        """
        _refuse()

    def differing_rows(self, other: PrintedComparisons) -> Ints:
        """The indices of the comparisons whose values differ from those of `other`."""
        pairs = zip((*self.first, *self.second), (*other.first, *other.second), strict=True)
        unequal = [~np.isclose(one, two, rtol=0, atol=0, equal_nan=True) for one, two in pairs]
        return np.flatnonzero(np.any(unequal, axis=0))


def _refuse() -> NoReturn:
    raise ValueError("printed values are public and have no neighbours: audit another data set")
