"""Counts of the records of many sets of variables at once.

The table of a set has the count of each combination of levels of its variables. Counts at the last
level of a variable follow from the other counts and from the table of the set without this
variable, which has the sums over all levels. So only combinations of other levels are counted, as
intersections of sets of records with one bit for each record. Tables with many cells are counted
one by one from the codes of the combinations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np
from scipy.special import xlogy

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Words
from dpfair_cli.models.causal_discovery.contingency import (
    LARGEST,
    REMEMBERED,
    SMALL,
    WORD,
    WORDS_AT_ONCE,
    packed,
)

MOST_CELLS, MOST_COUNTED = 1024, 256  # of a table for which bits are counted faster than codes
FEW = 2  # tables of equal shape that are counted faster from codes


@dataclass(frozen=True, eq=False)
class Family:
    """The tables of m sets of r variables."""

    keys: Ints
    """The number of each set, ascending, (m,)."""
    counts: Ints
    """All tables in one piece; the level of the last variable of a table changes fastest."""
    starts: Ints
    """The place in `counts` where each table begins, (m,)."""
    information: Floats
    """The sum of N ln N over the counts N of each table, (m,)."""
    free: Ints
    """For each set and variable, the number of levels that occur in each stratum, less 1.

    A stratum is a combination of levels of the other variables. The number is 0 in empty strata.
    """
    free_starts: Ints
    """The place in `free` where the strata of each set and variable begin, (m, r)."""

    def places(self, keys: Ints) -> tuple[Ints, Mask]:
        """The place of each key in `keys` of the family, and which of them are missing, (m,)."""
        places = np.searchsorted(self.keys, keys)
        if not len(self.keys):
            return places, np.ones(len(keys), dtype=bool)
        return places, self.keys.take(places, mode="clip") != keys

    def tables(self, places: Ints, shape: Sequence[int]) -> Ints:
        """The tables of the sets at these places, all of which have this shape, (m, *shape)."""
        cells = self.starts[places, None] + np.arange(prod(shape))
        return self.counts.take(cells).reshape(len(places), *shape)


def family_of(keys: list[Ints], tables: list[Ints]) -> Family:
    """The family of several arrays of tables (m, levels ...), whose sets have the keys (m,)."""
    all_keys = np.concatenate(keys)
    order = np.argsort(all_keys)
    starts, free_starts, occurring, end, free_end = [], [], [], 0, 0
    for block in tables:
        m, *shape = block.shape
        cells = prod(shape)
        strata = cells // np.array(shape)  # (r,)
        firsts = np.arange(m)
        starts.append(end + cells * firsts)
        free_starts.append(free_end + firsts[:, None] * strata + m * (strata.cumsum() - strata))
        occurs = block > 0
        occurring += [occurs.sum(axis=axis).ravel() for axis in range(1, block.ndim)]
        end, free_end = end + block.size, free_end + m * int(strata.sum())
    counts, begins = np.concatenate([block.ravel() for block in tables]), np.concatenate(starts)
    return Family(
        all_keys[order],
        counts,
        begins[order],
        np.add.reduceat(xlogy(counts, counts), begins)[order],
        np.maximum(np.concatenate(occurring) - 1, 0),
        np.concatenate(free_starts)[order],
    )


def joined(one: Family, other: Family) -> Family:
    """The tables of two families, which have no set in common."""
    keys = np.concatenate([one.keys, other.keys])
    order = np.argsort(keys)
    return Family(
        keys[order],
        np.concatenate([one.counts, other.counts]),
        np.concatenate([one.starts, other.starts + len(one.counts)])[order],
        np.concatenate([one.information, other.information])[order],
        np.concatenate([one.free, other.free]),
        np.concatenate([one.free_starts, other.free_starts + len(one.free)])[order],
    )


class SetCounts:
    """The tables of sets of variables, with a cache.

    Args:
        columns: the codes of each variable, (p, n).
        levels: the number of levels of each variable; fewer shapes occur if they ascend.
    """

    def __init__(self, columns: Ints, levels: Ints) -> None:
        self._columns, self._levels = columns, levels
        self._ends = np.cumsum(levels - 1)  # of the bits of each variable
        self._bits = _bits(columns, levels)  # (levels of all variables but the last ones, words)
        self._families = {0: _of_no_variable(columns.shape[1])}

    def family(self, sets: Ints) -> tuple[Family, Ints]:
        """A family with the tables of these sets (m, r), and the place of each set in it, (m,).

        The variables of a set ascend.

        Raises:
            ValueError: a table has more than LARGEST cells.
        """
        keys, size = _numbers(sets, len(self._levels)), sets.shape[1]
        known = self._families.get(size) or _empty(size)
        places, new = known.places(keys)
        if not new.any():
            return known, places
        if len(known.counts) > REMEMBERED:
            known, new = _empty(size), np.ones(len(keys), dtype=bool)
        new_keys, rows = np.unique(keys[new], return_index=True)
        known = joined(known, self._counted(new_keys, sets[new][rows]))
        self._families[size] = known
        return known, known.places(keys)[0]

    def _counted(self, keys: Ints, sets: Ints) -> Family:
        """The family of the sets, of which those with equal numbers of levels are made together."""
        shapes = self._levels[sets]  # (m, r)
        kinds = _numbers(shapes, int(self._levels.max()) + 1)
        _, kind, sizes = np.unique(kinds, return_inverse=True, return_counts=True)
        small = (shapes.prod(axis=1, dtype=float) <= MOST_CELLS) & (sizes[kind] > FEW)
        small &= (shapes - 1).prod(axis=1, dtype=float) <= MOST_COUNTED
        smaller, places = self._without_one(sets[small])
        place = np.cumsum(small) - 1  # in `places`
        members, tables = [np.flatnonzero(kind == k) for k in range(len(sizes))], []
        for rows in members:
            shape = shapes[rows[0]].tolist()
            if small[rows[0]]:
                counts = self._without_last_levels(sets[rows], shape)
                tables.append(_completed(counts, smaller, places[:, place[rows]]))
            else:
                tables.append(self._from_codes(sets[rows], shape))
        return family_of([keys[rows] for rows in members], tables)

    def _without_one(self, sets: Ints) -> tuple[Family, Ints]:
        """A family that has these sets (m, r) without one variable, and their places, (r, m).

        Row k has the places of the sets without their variable k.
        """
        m, r = sets.shape
        parts = [sets[:, [*range(k), *range(k + 1, r)]] for k in range(r)]
        family, places = self.family(np.concatenate(parts))
        return family, places.reshape(r, m)

    def _from_codes(self, sets: Ints, shape: list[int]) -> Ints:
        """The tables of the sets, (m, *shape), each from a code for each record."""
        cells = prod(shape)
        if cells > LARGEST:
            raise ValueError(
                f"the contingency table of {len(shape)} variables has {cells:,} cells, "
                "too many to count: use fewer variables or levels"
            )
        kind = np.uint16 if cells <= SMALL else np.int64  # 16 bits are three times as fast
        tables = np.empty((len(sets), cells), dtype=np.int64)
        for table, (first, *others) in zip(tables, sets.tolist(), strict=True):
            codes = self._columns[first].astype(kind)
            for variable, levels in zip(others, shape[1:], strict=True):
                codes *= kind(levels)
                codes += self._columns[variable].astype(kind, copy=False)
            table[:] = np.bincount(codes, minlength=cells)
        return tables.reshape(len(sets), *shape)

    def _without_last_levels(self, sets: Ints, shape: list[int]) -> Ints:
        """The tables of the sets without the last level of each variable, (m, levels - 1 ...)."""
        counted = [levels - 1 for levels in shape]
        found = np.empty((len(sets), prod(counted)), dtype=np.int64)
        step = max(1, WORDS_AT_ONCE // max(1, prod(counted) * self._bits.shape[1]))
        for start in range(0, len(sets), step):
            block = sets[start : start + step]
            cells = self._records(block[:, 0], counted[0])
            for variables, levels in zip(block.T[1:], counted[1:], strict=True):
                both = cells[:, :, None] & self._records(variables, levels)[:, None]
                m, one, other, words = both.shape
                cells = both.reshape(m, one * other, words)
            sizes = np.bitwise_count(cells).sum(axis=-1, dtype=np.uint32)
            found[start : start + step] = sizes
        return found.reshape(len(sets), *counted)

    def _records(self, variables: Ints, levels: int) -> Words:
        """The records with each level but the last of each variable, (m, levels, words).

        All variables have one level more than `levels`.
        """
        return self._bits.take(self._ends[variables, None] + np.arange(-levels, 0), axis=0)


def _completed(counted: Ints, smaller: Family, places: Ints) -> Ints:
    """The tables of m sets, (m, levels ...), from their counts without the last levels.

    Args:
        counted: the counts, (m, levels - 1 ...).
        smaller: the family of the sets without one variable.
        places: the places in it of the sets without their variable k, in row k, (r, m).
    """
    shape = [levels + 1 for levels in counted.shape[1:]]
    tables = np.empty((len(counted), *shape), dtype=np.int64)
    every: Any = slice(None)
    but_last, last, r = slice(-1), -1, len(shape)
    tables[(every, *[but_last] * r)] = counted
    for k, without in enumerate(places):
        before, after = [every] * (k + 1), [but_last] * (r - k - 1)
        sums = smaller.tables(without, shape[:k] + shape[k + 1 :])[(*before, *after)]
        others = tables[(*before, but_last, *after)].sum(axis=k + 1)
        tables[(*before, last, *after)] = sums - others
    return tables


def _of_no_variable(records: int) -> Family:
    """The family of the set of no variable, whose only count is the number of records."""
    nothing, one = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    count = np.array([records])
    return Family(one, count, one, xlogy(count, count), nothing, np.zeros((1, 0), dtype=np.int64))


def _bits(columns: Ints, levels: Ints) -> Words:
    """The records with each level but the last, (sum of levels - 1, words of 64 records)."""
    words = ceil(columns.shape[1] / WORD)
    sets = [
        packed(column == np.arange(count - 1, dtype=column.dtype)[:, None], words)
        for column, count in zip(columns, levels.tolist(), strict=True)
    ]
    return np.concatenate(sets)


def _empty(size: int) -> Family:
    """A family without a set of `size` variables."""
    nothing = np.zeros(0, dtype=np.int64)
    return Family(nothing, nothing, nothing, np.zeros(0), nothing, np.zeros((0, size), np.int64))


def _numbers(rows: Ints, base: int) -> Ints:
    """A different number for each different row of `rows` (m, r), which are below `base`, (m,)."""
    kind = np.int64 if base ** rows.shape[1] < 2**63 else object
    numbers = np.zeros(len(rows), dtype=kind)
    for column in rows.T:
        numbers = numbers * base + column
    return numbers
