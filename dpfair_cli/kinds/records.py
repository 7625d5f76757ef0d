"""Records of records: features, a label and a protected group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.fingerprints import fingerprint
from dpfair_cli.kinds.samples import sample


@dataclass(frozen=True)
class Domain:
    """What is publicly known about encoded records, without looking at them.

    `columns` names the d features of X; `attributes` maps an original attribute to the columns that
    encode it; `groups` names the protected values 0, 1, ...; `bounds` says whether ranges and
    levels are public knowledge or were read from the data (then no privacy guarantee holds for them).
    `standard` is a public (centre, spread) of each column, for methods that standardise: they use
    (x - centre) / spread; empty is x itself. Where every feature is one level or one bin, `values`
    names those of each column of the original table: attributes, protected column, label.
    """

    columns: tuple[str, ...]
    attributes: Mapping[str, tuple[int, ...]]
    groups: tuple[str, ...]
    bounds: Literal["public", "data"] = "public"
    standard: tuple[tuple[float, float], ...] = ()
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Records:
    """n records: features X (n, d) in [0, 1], label y (n,) in {0, 1}, protected group (n,) in 0, 1,
    ...
    """

    X: Floats
    y: Ints
    protected: Ints
    domain: Domain

    def __post_init__(self) -> None:
        n, groups = len(self.X), len(self.domain.groups)
        if self.X.ndim != 2 or self.y.shape != (n,) or self.protected.shape != (n,):
            raise ValueError(
                f"X, y, protected do not fit: {self.X.shape}, {self.y.shape}, {self.protected.shape}"
            )
        if not np.isfinite(self.X).all():
            raise ValueError("X holds values that are not finite")
        if n and not (
            set(np.unique(self.y)) <= {0, 1}
            and 0 <= self.protected.min() <= self.protected.max() < groups
        ):
            raise ValueError(f"y must be 0 or 1, protected a group from 0 to {groups - 1}")
        for array in (self.X, self.y, self.protected):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: Ints) -> Records:
        """The records at `rows`, in that order."""
        return Records(self.X[rows], self.y[rows], self.protected[rows], self.domain)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features, (d,)."""
        return self.domain.columns

    @property
    def bounds(self) -> Literal["public", "data"]:
        """Where the ranges and levels are from."""
        return self.domain.bounds

    @property
    def held_out(self) -> Mask:
        """Nobody is kept for testing by the data themselves, (n,): a split has to be drawn."""
        return np.zeros(len(self), dtype=bool)

    def correctness(self, output: Floats) -> Floats:
        """The probability that each output, the probability of a 1, is right, (n,)."""
        return np.where(self.y == 1, output, 1 - output)

    def selection(self, output: Floats) -> Floats:
        """The probability that each person is selected, (n,)."""
        return output

    def counts(self) -> dict[str, Any]:
        """Records, features, records of each group and the share of label 1 (to 4 digits)."""
        groups = np.bincount(self.protected, minlength=len(self.domain.groups))
        base_rate = round(float(self.y.mean()), 4)
        return {
            "rows": len(self),
            "columns": self.X.shape[1],
            "groups": tuple(groups.tolist()),
            "base_rate": base_rate,
        }

    def fingerprint(self) -> str:
        """SHA-256 of what a fit reads."""
        return fingerprint((self.X.shape, self.domain.groups), self.X, self.y, self.protected)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """`count` pairs of neighbouring samples of these records, random and adversarial, that
        differ somewhere.
        """
        if relation is Neighbours.ONE_PROTECTED_ATTRIBUTE:
            return self._with_one_regrouped(count, rng)
        return self._with_one_replaced(count, rng)

    def _with_one_replaced(
        self, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """A record of a sample replaced by one of the data, or a corner of the box by another or by
        a point of a grid.

        A point has 0, half, 1 or any number in each feature.
        """
        d, groups = self.X.shape[1], len(self.domain.groups)
        corners = list(product(_corners(d), (0, 1), range(min(groups, 2))))
        for k in range(count):
            left = sample(self, k, rng=rng)
            place = int(rng.integers(len(left)))
            if k % 4 == 3:
                row = self.take(rng.integers(len(self), size=1))
                yield left, left._with(place, row.X[0], row.y[0], row.protected[0])
                continue
            one, other = rng.integers(len(corners), size=2)
            point = np.choose(rng.integers(4, size=d), [0.0, 0.5, 1.0, rng.random(d)])
            record = (
                corners[other]
                if k % 4
                else (point, int(rng.integers(2)), int(rng.integers(groups)))
            )
            yield left._with(place, *corners[one]), left._with(place, *record)

    def _with_one_regrouped(
        self, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Records, Records]]:
        """A person of a sample changes group.

        In every second sample the groups are random, in every sixth everybody is in one.
        """
        groups = len(self.domain.groups)
        for k in range(count):
            records = sample(self, k, rng=rng)
            assigned = rng.integers(groups, size=len(records)) if k % 2 else records.protected
            assigned = np.full(len(records), rng.integers(groups)) if k % 6 == 4 else assigned
            left = Records(records.X, records.y, np.array(assigned), records.domain)
            place = int(rng.integers(len(left)))
            other = (left.protected[place] + rng.integers(1, groups)) % groups
            yield left, left._with(place, left.X[place], left.y[place], other)

    def altered(
        self, other: Records, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Records, Records]:
        """Neighbours with another value: of the record that differs on one side, or of anybody on
        both.

        A feature goes to an end of [0, 1] or to half of it, a label or a group to another one.
        """
        rows = self.differing_rows(other)
        place = int(rows[0]) if len(rows) and rng.integers(4) else int(rng.integers(len(self)))
        alter = self._change(place, rng)
        if place not in rows:
            return alter(self), alter(other)
        if (
            relation is Neighbours.ONE_PROTECTED_ATTRIBUTE
        ):  # all but the group, in which they differ
            groups = self.protected[place], other.protected[place]
            left, right = alter(self), alter(other)
            return (left._with(place, left.X[place], int(left.y[place]), int(groups[0])),
                    right._with(place, right.X[place], int(right.y[place]), int(groups[1])))  # fmt: skip
        return (alter(self), other) if rng.integers(2) else (self, alter(other))

    def differing_rows(self, other: Records) -> Ints:
        """The rows in which the records of a neighbour are others."""
        same = (
            (self.X == other.X).all(axis=1)
            & (self.y == other.y)
            & (self.protected == other.protected)
        )
        return np.flatnonzero(~same)

    def _change(self, place: int, rng: np.random.Generator) -> Callable[[Records], Records]:
        """A random change of one value of the person at `place`."""
        d, value, group = (
            self.X.shape[1],
            (0.0, 0.5, 1.0)[rng.integers(3)],
            int(rng.integers(len(self.domain.groups))),
        )
        column = int(rng.integers(d + 2))  # the features, the label, the group

        def changed(records: Records) -> Records:
            x = np.where(np.arange(d) == column, value, records.X[place])
            y = 1 - records.y[place] if column == d else records.y[place]
            return records._with(
                place, x, int(y), group if column > d else int(records.protected[place])
            )

        return changed

    def _with(self, place: int, x: Floats, y: int, protected: int) -> Records:
        """The same records but for the one at `place`."""
        X, labels, groups = self.X.copy(), self.y.copy(), self.protected.copy()
        X[place], labels[place], groups[place] = x, y, protected
        return Records(X, labels, groups, self.domain)


def _corners(d: int) -> list[Floats]:
    """No feature, every feature, and the first k features for the k at which sensitivities are
    reached.
    """
    return [(np.arange(d) < k).astype(float) for k in sorted({0, 1, 2, min(12, d), min(24, d), d})]
