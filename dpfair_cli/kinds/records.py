"""Records of individuals: features, a label and a protected group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import fingerprint, sample

BLOCK = 8_192  # rows that are looked at together


@dataclass(frozen=True)
class Domain:
    """The public facts about encoded records."""

    columns: tuple[str, ...]  # the names of the d features of X
    attributes: Mapping[str, tuple[int, ...]]  # the columns that encode each original attribute
    groups: tuple[str, ...]  # the names of the protected values 0, 1, ...
    # the origin of ranges and levels, "public" facts or the "data"
    bounds: Literal["public", "data"] = "public"
    # the public (centre, spread) of each column for standardisation; empty if there is none
    standard: tuple[tuple[float, float], ...] = ()
    # levels or bins of the attributes, the protected column and the label, if all are
    # discrete
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Records:
    """n records of individuals.

    Raises:
        ValueError: the arrays have different numbers of rows, or a value is out of range.

    >>> import numpy as np
    >>> domain = Domain(columns=("age",), attributes={"age": (0,)}, groups=("women", "men"))
    >>> X = np.array([[0.2], [0.7], [0.4]])
    >>> records = Records(X, y=np.array([0, 1, 1]), protected=np.array([0, 0, 1]), domain=domain)
    >>> records.counts()
    {'rows': 3, 'columns': 1, 'groups': (2, 1), 'base_rate': 0.6667}
    """

    X: Floats  # features in [0, 1], (n, d)
    y: Ints  # the label, 0 or 1, (n,)
    protected: Ints  # the number of the group, (n,)
    domain: Domain  # the public facts about the records

    def __post_init__(self) -> None:
        n, groups = len(self.X), len(self.domain.groups)
        if self.X.ndim != 2 or self.y.shape != (n,) or self.protected.shape != (n,):
            shapes = f"{self.X.shape}, {self.y.shape}, {self.protected.shape}"
            raise ValueError(
                f"X, y, protected must have the same number of rows, got arrays of shapes {shapes}"
            )
        # in blocks, because a mask of all values would take n d bytes at once
        blocks = (self.X[first : first + BLOCK] for first in range(0, n, BLOCK))
        if not all(np.isfinite(block).all() for block in blocks):
            raise ValueError("every value of X must be finite, got NaN or infinity")
        if not ((self.y == 0) | (self.y == 1)).all():
            raise ValueError("every label in y must be 0 or 1")
        if n and not 0 <= self.protected.min() <= self.protected.max() < groups:
            raise ValueError(
                f"every entry of protected must be the number of a group, from 0 to {groups - 1}"
            )
        # all methods of a batch are fitted to the same arrays
        for array in (self.X, self.y, self.protected):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: Ints) -> Records:
        """The records whose indices are `rows`, in the order of `rows`."""
        X = self.X.take(rows, axis=0)  # faster than indexing
        return Records(X, self.y[rows], self.protected[rows], self.domain)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features of a record, (d,)."""
        return self.domain.columns

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of the records' ranges and levels: "public" facts or the "data" themselves."""
        return self.domain.bounds

    @property
    def held_out(self) -> Mask:
        """False for each record, (n,), because the data set reserves no records for testing."""
        return np.zeros(len(self), dtype=bool)

    def correctness(self, output: Floats) -> Floats:
        """The probability that the decision on each record is correct, (n,).

        `output` (n,) is the probability of decision 1.
        """
        return np.where(self.y == 1, output, 1 - output)

    def selection(self, output: Floats) -> Floats:
        """The probability of decision 1 for each record, (n,), which is `output` itself."""
        return output

    def counts(self) -> dict[str, Any]:
        """The numbers of records, features and group members, and the share of label 1."""
        groups = np.bincount(self.protected, minlength=len(self.domain.groups))
        base_rate = round(float(self.y.mean()), 4)
        return {
            "rows": len(self),
            "columns": self.X.shape[1],
            "groups": tuple(groups.tolist()),
            "base_rate": base_rate,
        }

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the records reads."""
        return fingerprint((self.X.shape, self.domain.groups), self.X, self.y, self.protected)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """`count` pairs of neighbouring samples of these records, random and adversarial."""
        if relation is Neighbours.ONE_PROTECTED_ATTRIBUTE:
            return self._with_one_regrouped(count, rng)
        return self._with_one_replaced(count, rng)

    def _with_one_replaced(
        self, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """Yields `count` pairs of samples of the records in which one record is replaced.

        In every fourth pair the new record is a record of the data. In the other pairs the replaced
        record has features 0 and 1 (a corner of the box), and the new record is another corner, or
        a point whose features are 0, one half, 1 or a uniform number.
        """
        d, groups = self.X.shape[1], len(self.domain.groups)
        # with both labels and two groups: a sensitivity is reached at such records
        corners = list(product(_corners(d), (0, 1), range(min(groups, 2))))
        for k in range(count):
            left = sample(self, k, rng=rng)
            place = int(rng.integers(len(left)))
            # the forms take turns, so that a few pairs have all of them
            if k % 4 == 3:
                row = self.take(rng.integers(len(self), size=1))
                yield left, left._with(place, row.X[0], row.y[0], row.protected[0])
                continue
            one, other = rng.integers(len(corners), size=2)
            point = np.choose(rng.integers(4, size=d), [0.0, 0.5, 1.0, rng.random(d)])
            if k % 4:
                record = corners[other]
            else:
                record = point, int(rng.integers(2)), int(rng.integers(groups))
            yield left._with(place, *corners[one]), left._with(place, *record)

    def _with_one_regrouped(
        self, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """Yields `count` pairs of samples of the records in which the group of one record changes.

        In every second sample the groups are random. In every sixth sample all records have the
        same group.
        """
        groups = len(self.domain.groups)
        for k in range(count):
            records = sample(self, k, rng=rng)
            assigned = rng.integers(groups, size=len(records)) if k % 2 else records.protected
            assigned = np.full(len(records), rng.integers(groups)) if k % 6 == 4 else assigned
            left = Records(records.X, records.y, np.array(assigned), records.domain)
            place = int(rng.integers(len(left)))
            # a step of at least 1, so that the group is another one
            other = (left.protected[place] + rng.integers(1, groups)) % groups
            yield left, left._with(place, left.X[place], left.y[place], other)

    def altered(
        self, other: Records, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Records, Records]:
        """The records and their neighbour `other` after a random change of one value.

        The change is made in the differing record of one neighbour, or in the same other record of
        both. A feature becomes 0, one half or 1; a label becomes the other label; a group becomes a
        random group.
        """
        rows = self.differing_rows(other)
        place = int(rows[0]) if len(rows) and rng.integers(4) else int(rng.integers(len(self)))
        alter = self._change(place, rng)
        if place not in rows:
            return alter(self), alter(other)
        if relation is Neighbours.ONE_PROTECTED_ATTRIBUTE:
            # both change alike and keep their groups, which are all that may differ
            return alter(self)._regrouped(place, self), alter(other)._regrouped(place, other)
        return (alter(self), other) if rng.integers(2) else (self, alter(other))

    def differing_rows(self, other: Records) -> Ints:
        """The indices of the records that differ from those of the neighbour `other`."""
        same = (
            (self.X == other.X).all(axis=1)
            & (self.y == other.y)
            & (self.protected == other.protected)
        )
        return np.flatnonzero(~same)

    def _change(self, place: int, rng: np.random.Generator) -> Callable[[Records], Records]:
        """A function that makes a random change of one value of the record at the index `place`.

        The function makes the same change in every data set.
        """
        d, value = self.X.shape[1], (0.0, 0.5, 1.0)[rng.integers(3)]
        group = int(rng.integers(len(self.domain.groups)))
        column = int(rng.integers(d + 2))  # the features, the label, the group

        # the choices above are made once, so that two neighbours change alike
        def changed(records: Records) -> Records:
            x = np.where(np.arange(d) == column, value, records.X[place])
            y = 1 - records.y[place] if column == d else records.y[place]
            protected = group if column > d else int(records.protected[place])
            return records._with(place, x, int(y), protected)

        return changed

    def _regrouped(self, place: int, original: Records) -> Records:
        """The records, with the group of the record at the index `place` taken from `original`."""
        group = int(original.protected[place])
        return self._with(place, self.X[place], int(self.y[place]), group)

    def _with(self, place: int, x: Floats, y: int, protected: int) -> Records:
        """The records, with features x, label y and group `protected` at the index `place`."""
        X, labels, groups = self.X.copy(), self.y.copy(), self.protected.copy()
        X[place], labels[place], groups[place] = x, y, protected
        return Records(X, labels, groups, self.domain)


def _corners(d: int) -> list[Floats]:
    """Points with d features, of which the first k are 1 and the others 0, for several k.

    These k include the numbers at which the sensitivities of queries are reached.
    """
    return [(np.arange(d) < k).astype(float) for k in sorted({0, 1, 2, min(12, d), min(24, d), d})]
