"""Grey-scale images with a class and a protected group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Pixels
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import fingerprint, sample
from dpfair_cli.kinds.records import Domain


@dataclass(frozen=True, eq=False)
class Images:
    """n grey-scale images with a class and a protected group."""

    X: Pixels  # pixels from 0 to 255, row by row, (n, pixels)
    y: Ints  # the number of the class of each image, (n,)
    protected: Ints  # the number of the group of each image, (n,)
    held_out: Mask  # marks the images that the data set reserves for testing, (n,)
    shape: tuple[int, int]  # the (rows, columns) of an image
    classes: tuple[str, ...]  # the name of each class number in y
    domain: Domain  # the public facts, including the names of the groups

    def __post_init__(self) -> None:
        n, pixels = len(self.X), self.shape[0] * self.shape[1]
        shapes = self.X.shape, self.y.shape, self.protected.shape, self.held_out.shape
        if shapes != ((n, pixels), (n,), (n,), (n,)):
            raise ValueError(
                "X, y, protected, held_out must have the same number of images, got arrays "
                f"of shapes {', '.join(map(str, shapes))}"
            )
        types = {"X": (self.X.dtype, "uint8"), "held_out": (self.held_out.dtype, "bool")}
        for name, (dtype, needed) in types.items():
            if dtype != needed:
                raise ValueError(f"{name} must be an array of the type {needed}, got {dtype}")
        for name, codes, count in (
            ("y", self.y, len(self.classes)),
            ("protected", self.protected, len(self.groups)),
        ):
            if n and not 0 <= codes.min() <= codes.max() < count:
                raise ValueError(f"every entry of {name} must be from 0 to {count - 1}")
        # all methods of a batch are fitted to the same arrays
        for array in (self.X, self.y, self.protected, self.held_out):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups."""
        return self.domain.groups

    def take(self, rows: Ints) -> Images:
        """The images whose indices are `rows`, in the order of `rows`."""
        parts = self.X[rows], self.y[rows], self.protected[rows], self.held_out[rows]
        return Images(*parts, self.shape, self.classes, self.domain)

    @property
    def columns(self) -> tuple[str, ...]:
        """An empty tuple, because pixels have no names."""
        return self.domain.columns

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of the range of a pixel, "public", because all images have the same range."""
        return self.domain.bounds

    def correctness(self, output: Floats) -> Floats:
        """1 for each image with a correct `output` and 0 for other images, (n,).

        `output` (n,) is the number of the class that a classifier gives to each image.
        """
        return np.asarray(output == self.y, dtype=float)

    def selection(self, output: Floats) -> Floats:
        """NaN for each image, (n,), instead of a selection: no class is favourable."""
        return np.full(len(self), np.nan)

    def counts(self) -> dict[str, Any]:
        """The numbers of images, of pixels and of images in each group, and the mean class."""
        groups = np.bincount(self.protected, minlength=len(self.groups))
        mean = round(float(self.y.mean()), 4)
        return {
            "rows": len(self),
            "columns": self.X.shape[1],
            "groups": tuple(groups.tolist()),
            "base_rate": mean,
        }

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the images reads."""
        return fingerprint((self.X.shape, self.groups), self.X, self.y, self.protected)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Images, Images]]:
        """`count` pairs of neighbouring samples in which one image is replaced.

        The new image is another image of the data, or is black, white or chequered.
        """
        for k in range(count):
            left = sample(self, k, rng=rng)
            picture = self.X[rng.integers(len(self))] if k % 4 == 3 else self._extreme(k)
            place = int(rng.integers(len(left)))
            y, group = rng.integers((len(self.classes), len(self.groups))).tolist()
            yield left, left._with(place, picture, y, group)

    def altered(
        self, other: Images, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Images, Images]:
        """The images and their neighbour `other`, with a change of the image in which they differ.

        A block of the image becomes black or white, and the class becomes random.
        """
        rows = self.differing_rows(other)
        place = int(rows[0]) if len(rows) else 0
        y = int(rng.integers(len(self.classes)))
        top, left = (int(rng.integers(count)) for count in self.shape)
        picture = other.X[place].copy().reshape(self.shape)
        picture[top : top + 7, left : left + 7] = 255 * rng.integers(2)
        return self, other._with(place, picture.ravel(), y, int(other.protected[place]))

    def differing_rows(self, other: Images) -> Ints:
        """The indices of the images that differ from those of the neighbour `other`.

        The pixels, the class or the group may differ.
        """
        same = (
            (self.X == other.X).all(axis=1)
            & (self.y == other.y)
            & (self.protected == other.protected)
        )
        return np.flatnonzero(~same)

    def _extreme(self, k: int) -> Pixels:
        """A black, a white or a chequered image, in turn for k = 0, 1, 2, ..., (pixels,)."""
        rows, columns = np.indices(self.shape)
        white = (np.zeros(self.shape), np.ones(self.shape), (rows + columns) % 2)[k % 3]
        return np.asarray(255 * white, np.uint8).ravel()

    def _with(self, place: int, picture: Pixels, y: int, protected: int) -> Images:
        """The images with the one at the index `place` replaced by `picture`, with class y."""
        X, classes, groups = self.X.copy(), self.y.copy(), self.protected.copy()
        X[place], classes[place], groups[place] = picture, y, protected
        return Images(X, classes, groups, self.held_out, self.shape, self.classes, self.domain)
