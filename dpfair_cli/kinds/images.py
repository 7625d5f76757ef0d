"""Grey pictures with a class and a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Pixels
from dpfair_cli.contracts.declarations import Neighbours
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.kinds.fingerprints import fingerprint
from dpfair_cli.kinds.people import Domain


@dataclass(frozen=True, eq=False)
class Images:
    """n grey pictures: X (n, pixels) from 0 to 255, row by row; class y (n,) and group `protected` (n,) as numbers.

    `shape` is the (rows, columns) of a picture, `classes` names what y counts, `domain.groups` what protected counts.
    `held_out` (n,) marks the pictures that the data set keeps for testing.
    """

    X: Pixels
    y: Ints
    protected: Ints
    held_out: Mask
    shape: tuple[int, int]
    classes: tuple[str, ...]
    domain: Domain

    def __post_init__(self) -> None:
        n, pixels = len(self.X), self.shape[0] * self.shape[1]
        if self.X.shape != (n, pixels) or {self.y.shape, self.protected.shape, self.held_out.shape} != {(n,)}:
            shapes = self.X.shape, self.y.shape, self.protected.shape, self.held_out.shape
            raise ValueError(f"X, y, protected, held_out do not fit: {', '.join(map(str, shapes))}")
        if self.X.dtype != np.uint8 or self.held_out.dtype != bool:
            raise ValueError(f"X is of whole numbers from 0 to 255, held_out a mask; got {self.X.dtype}")
        for name, codes, count in (("y", self.y, len(self.classes)), ("protected", self.protected, len(self.groups))):
            if n and not 0 <= codes.min() <= codes.max() < count:
                raise ValueError(f"{name} must be from 0 to {count - 1}")
        for array in (self.X, self.y, self.protected, self.held_out):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self.domain.groups

    def take(self, rows: Ints) -> Images:
        """The pictures at `rows`, in that order."""
        parts = self.X[rows], self.y[rows], self.protected[rows], self.held_out[rows]
        return Images(*parts, self.shape, self.classes, self.domain)

    @property
    def columns(self) -> tuple[str, ...]:
        """Empty: a pixel has no name."""
        return self.domain.columns

    @property
    def bounds(self) -> Literal["public", "data"]:
        """Where the range of a pixel is from: it is public."""
        return self.domain.bounds

    def correctness(self, output: Floats) -> Floats:
        """Whether each output, a class, is right: 1 or 0, (n,)."""
        return np.asarray(output == self.y, dtype=float)

    def selection(self, output: Floats) -> Floats:
        """Not a number, (n,): no class is favourable."""
        return np.full(len(self), np.nan)

    def counts(self) -> dict[str, Any]:
        """Pictures, pixels, pictures of each group and the mean class (to 4 digits)."""
        groups = np.bincount(self.protected, minlength=len(self.groups))
        mean = round(float(self.y.mean()), 4)
        return {"rows": len(self), "columns": self.X.shape[1], "groups": tuple(groups.tolist()), "base_rate": mean}

    def fingerprint(self) -> str:
        """SHA-256 of what a fit reads."""
        return fingerprint((self.X.shape, self.groups), self.X, self.y, self.protected)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Images, Images]]:
        """No neighbours of pictures are made yet.

        Raises:
            DpfairError: always.
        """
        raise DpfairError("images cannot be audited: audit the method on records, where it takes the same steps")
