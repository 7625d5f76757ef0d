"""Records of categorical or numerical variables, for causal discovery."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import fingerprint, sample


@dataclass(frozen=True, eq=False)
class Observations:
    """n records of p variables, all categorical or all numerical."""

    values: Ints | Floats
    """Numbers, or codes from 0 to levels[j] - 1 of the categories of variable j, (n, p)."""
    names: tuple[str, ...]  # the names of the p variables, in the order of the columns
    levels: tuple[int, ...] = ()
    """The number of levels of each categorical variable, which is public; empty for numbers."""
    bounds: Literal["public", "data"] = "public"
    """The origin of levels and of scales, "public" facts or the "data"."""

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or self.values.shape[1] != len(self.names):
            raise ValueError(
                f"values must be an (n, {len(self.names)}) array with a column for each "
                f"name, got the shape {self.values.shape}"
            )
        if len(set(self.names)) != len(self.names):
            raise ValueError("the variables must have different names")
        if not np.isfinite(self.values).all():
            raise ValueError(
                "every value must be finite, got NaN or infinity: fill in missing values or "
                "delete the rows"
            )
        if np.abs(self.values).max(initial=0) > LARGEST:
            raise ValueError(
                f"every value must be at most {LARGEST:g} in absolute value, or the "
                "covariance overflows: rescale the variables"
            )
        if self.levels:
            self._check_codes()
        self.values.flags.writeable = False

    def _check_codes(self) -> None:
        if len(self.levels) != len(self.names) or not np.issubdtype(self.values.dtype, np.integer):
            raise ValueError(
                "categories must be integers, with a number of levels for each of "
                f"{len(self.names)} variables"
            )
        for name, column, levels in zip(self.names, self.values.T, self.levels, strict=True):
            if len(column) and not 0 <= column.min() <= column.max() < levels:
                raise ValueError(f"every code of variable {name!r} must be from 0 to {levels - 1}")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def categorical(self) -> bool:
        """Whether the variables are categorical."""
        return bool(self.levels)

    def take(self, rows: Ints) -> Observations:
        """The records whose indices are `rows`, in the order of `rows`."""
        return Observations(self.values[rows], self.names, self.levels, self.bounds)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the variables, (p,)."""
        return self.names

    def counts(self) -> dict[str, Any]:
        """The number of records, and the number of levels of each variable."""
        return {"rows": len(self), "levels": self.levels}

    def fingerprint(self) -> str:
        """The SHA-256 digest of everything that a fit to the records reads."""
        return fingerprint((self.values.shape, self.names, self.levels), self.values)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Observations, Observations]]:
        """`count` pairs of neighbouring samples in which one record is replaced.

        The sample is a sample of the data, or has independent variables, or has only records with
        all variables at one end of their ranges, or has two variables that are equal as far as
        their numbers of levels allow. In the last case the two variables separate the same
        variables, and one record can decide which of them does. The new record is a record of the
        data, or has all variables at one end of their ranges, or each at a random end, or random
        values.
        """
        low, high = self._ends()
        for k in range(count):
            # k is taken modulo 4, 3 and 5, which have no common divisor: in 60 pairs, every sample
            # meets every replaced record
            values = np.array(sample(self, k, rng=rng).values)
            if k % 4 == 1:
                # each column is permuted apart: no dependence is left, and every distribution stays
                values = np.column_stack([rng.permutation(column) for column in values.T])
            if k % 4 == 2:
                values = np.where(rng.integers(2, size=len(values))[:, None], high, low)
            if k % 4 == 3:
                values = self._with_twins(values, rng)
            if k % 3:
                ends = rng.integers(2, size=len(self.names))
            else:
                ends = np.full(len(self.names), rng.integers(2))
            replaced = values.copy()
            rows = {4: self.values[rng.integers(len(self))], 3: self._anywhere(rng)}
            replaced[rng.integers(len(values))] = rows.get(k % 5, np.where(ends, high, low))
            yield self._with(values), self._with(replaced)

    def altered(
        self, other: Observations, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Observations, Observations]:
        """The records and their neighbour `other` after a random change of one value.

        The change is made in the differing record of one neighbour, or in the same other record of
        both. The new value is an end of the range of the variable, or random.
        """
        rows = self.differing_rows(other)
        place = int(rows[0]) if len(rows) and rng.integers(4) else int(rng.integers(len(self)))
        column = int(rng.integers(len(self.names)))
        value = (*self._ends(), self._anywhere(rng))[rng.integers(3)][column]
        values, others = self.values.copy(), other.values.copy()
        # a record that both have in common must stay the same in both
        sides = [values, others] if place not in rows else [(values, others)[rng.integers(2)]]
        for side in sides:
            side[place, column] = value
        return self._with(values), self._with(others)

    def differing_rows(self, other: Observations) -> Ints:
        """The indices of the records that differ from those of the neighbour `other`."""
        return np.flatnonzero((self.values != other.values).any(axis=1))

    def _ends(self) -> tuple[Ints | Floats, Ints | Floats]:
        """The smallest and the largest value of each variable, (p,) and (p,)."""
        if self.categorical:
            return np.zeros(len(self.names), dtype=np.int64), np.array(self.levels) - 1
        return self.values.min(axis=0), self.values.max(axis=0)

    def _with_twins(self, values: Any, rng: np.random.Generator) -> Any:
        """The values (n, p), in which one variable is replaced by a copy of another variable."""
        first, second = rng.choice(len(self.names), size=2, replace=False)
        values[:, second] = values[:, first]
        if self.categorical:
            # the second variable may have fewer levels than the first
            values[:, second] %= self.levels[second]
        return values

    def _anywhere(self, rng: np.random.Generator) -> Ints | Floats:
        """A random value of each variable, (p,).

        The value of a numerical variable is random in its range, the middle or the end of the
        range, or far below the range.
        """
        low, high = self._ends()
        if self.categorical:
            return rng.integers(np.array(self.levels))
        between = low + rng.random(len(low)) * (high - low)
        choices = [between, (low + high) / 2, low - 9 * (high - low), high]
        return np.choose(rng.integers(4, size=len(low)), choices)

    def _with(self, values: Any) -> Observations:
        return Observations(values, self.names, self.levels, self.bounds)
