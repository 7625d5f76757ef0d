"""The G^2 test on records: many tests at once, from contingency tables that they share.

G^2 = 2 (I(i, j, k ...) - I(i, k ...) - I(j, k ...) + I(k ...)). Here I of a set of variables is the
sum of N ln N over its table of counts N. The independence tests of one order share most of these
sets. The degrees of freedom are those of `independence`.

Counts at the last level of a variable follow from the other counts and from the table of the set
without this variable, which has the sums over all levels. So only combinations of other levels are
counted, as intersections of sets of records with one bit for each record. Tables with many cells
are counted one by one from the codes of the combinations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np
from scipy.special import xlogy

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Words
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegative, checked
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery import contingency
from dpfair_cli.models.causal_discovery.contingency import counted
from dpfair_cli.models.causal_discovery.independence import Freedom, chi_squared_tail

MOST_CELLS, MOST_COUNTED = 1024, 256  # of a table for which bits are counted faster than codes
FEW = 2  # tables of equal shape that are counted faster from codes
EMPTY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class ContingencyTables:
    """The contingency tables of m sets of r variables."""

    keys: Ints  # the number of each set, ascending, (m,)
    # all tables in one piece; the level of the last variable of a table changes fastest
    counts: Ints
    starts: Ints  # the place in `counts` where each table begins, (m,)
    information: Floats  # the sum of N ln N over the counts N of each table, (m,)
    # for each set and variable, the number of levels that occur in each stratum, less 1. A stratum
    # is a combination of levels of the other variables. The number is 0 in empty strata. Empty with
    # "full" degrees of freedom, which do not depend on free levels
    free_levels: Ints
    # the place in `free_levels` where the strata of each set and variable begin, (m, r)
    free_starts: Ints

    def places(self, keys: Ints) -> tuple[Ints, Mask]:
        """The place of the set with each key, and which of the sets are missing, (m,)."""
        places = np.searchsorted(self.keys, keys)
        if not len(self.keys):
            return places, np.ones(len(keys), dtype=bool)
        return places, self.keys.take(places, mode="clip") != keys

    def at(self, places: Ints, shape: Sequence[int]) -> Ints:
        """The tables of the sets at these places, all of which have this shape, (m, *shape)."""
        cells = self.starts[places, None] + np.arange(prod(shape))
        return self.counts.take(cells).reshape(len(places), *shape)


def collected(keys: list[Ints], blocks: list[Ints], freedom: Freedom) -> ContingencyTables:
    """Several arrays of tables (m, levels ...), whose sets have the keys (m,), as one object."""
    all_keys = np.concatenate(keys)
    order = np.argsort(all_keys)
    starts, information, end = [], [], 0
    for block in blocks:
        counts, begins = block.ravel(), np.arange(len(block)) * prod(block.shape[1:])
        information.append(np.add.reduceat(xlogy(counts, counts), begins))
        starts.append(end + begins)
        end += len(counts)
    free_levels, free_starts = EMPTY, np.zeros((len(order), blocks[0].ndim - 1), dtype=np.int64)
    if freedom == "adjusted":
        free_levels, free_starts = _free_levels(blocks)
    return ContingencyTables(
        all_keys[order],
        in_one_piece([block.ravel() for block in blocks]),
        np.concatenate(starts)[order],
        np.concatenate(information)[order],
        free_levels,
        free_starts[order],
    )


def _free_levels(blocks: list[Ints]) -> tuple[Ints, Ints]:
    """The free levels in arrays of tables, and where those of each set and variable begin."""
    occurring, starts, end = [], [], 0
    for block in blocks:
        m, *shape = block.shape
        strata = prod(shape) // np.array(shape)  # (r,)
        starts.append(end + np.arange(m)[:, None] * strata + m * (strata.cumsum() - strata))
        occurs = block > 0
        occurring += [occurs.sum(axis=axis).ravel() for axis in range(1, block.ndim)]
        end += m * int(strata.sum())
    return np.maximum(np.concatenate(occurring) - 1, 0), np.concatenate(starts)


def in_one_piece(arrays: list[Ints]) -> Ints:
    """The concatenated arrays; a single array is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def joined(one: ContingencyTables, other: ContingencyTables) -> ContingencyTables:
    """The tables of both objects, which have no set in common."""
    if not len(one.keys):
        return other
    keys = np.concatenate([one.keys, other.keys])
    order = np.argsort(keys)
    return ContingencyTables(
        keys[order],
        np.concatenate([one.counts, other.counts]),
        np.concatenate([one.starts, other.starts + len(one.counts)])[order],
        np.concatenate([one.information, other.information])[order],
        np.concatenate([one.free_levels, other.free_levels]),
        np.concatenate([one.free_starts, other.free_starts + len(one.free_levels)])[order],
    )


class SetCounts:
    """The contingency tables of sets of variables, with a cache.

    Args:
        columns: the codes of each variable, (p, n).
        levels: the number of levels of each variable; fewer shapes occur if they ascend.
        freedom: how degrees of freedom are counted; free levels are needed for "adjusted" only.
    """

    def __init__(self, columns: Ints, levels: Ints, freedom: Freedom) -> None:
        self._columns, self._levels, self._freedom = columns, levels, freedom
        self._ends = np.cumsum(levels - 1)  # of the bits of each variable
        self._bits = _bits(columns, levels)  # (levels of all variables but the last ones, words)
        self._tables = {0: _of_no_variable(columns.shape[1])}  # by the number of variables

    def tables_of(self, sets: Ints) -> tuple[ContingencyTables, Ints]:
        """Tables that include those of these sets (m, r), and the place of each set in them, (m,).

        The variables of a set ascend.

        Raises:
            ValueError: a table has more than LARGEST cells.
        """
        keys, size = _numbers(sets, len(self._levels)), sets.shape[1]
        known = self._tables.get(size) or _no_tables(size)
        places, new = known.places(keys)
        if not new.any():
            return known, places
        if len(known.counts) > contingency.REMEMBERED:
            known, new = _no_tables(size), np.ones(len(keys), dtype=bool)
            self._tables[size] = known  # frees the memory of the others first
        new_keys, rows = np.unique(keys[new], return_index=True)
        known = joined(known, self._counted(new_keys, sets[new][rows]))
        self._tables[size] = known
        return known, known.places(keys)[0]

    def _counted(self, keys: Ints, sets: Ints) -> ContingencyTables:
        """The tables of the sets; sets with equal numbers of levels are counted together."""
        shapes = self._levels[sets]  # (m, r)
        kinds = _numbers(shapes, int(self._levels.max()) + 1)
        _, kind, sizes = np.unique(kinds, return_inverse=True, return_counts=True)
        small = (shapes.prod(axis=1, dtype=float) <= MOST_CELLS) & (sizes[kind] > FEW)
        small &= (shapes - 1).prod(axis=1, dtype=float) <= MOST_COUNTED
        smaller, places = self._without_one(sets[small])
        place = np.cumsum(small) - 1  # in `places`
        members, blocks = [np.flatnonzero(kind == k) for k in range(len(sizes))], []
        for rows in members:
            shape = shapes[rows[0]].tolist()
            if small[rows[0]]:
                counts = self._without_last_levels(sets[rows], shape)
                blocks.append(_completed(counts, smaller, places[:, place[rows]]))
            else:
                blocks.append(self._from_codes(sets[rows], shape))
        return collected([keys[rows] for rows in members], blocks, self._freedom)

    def _without_one(self, sets: Ints) -> tuple[ContingencyTables, Ints]:
        """The tables of these sets (m, r) without one variable, and their places, (r, m)."""
        m, r = sets.shape
        parts = [sets[:, [*range(k), *range(k + 1, r)]] for k in range(r)]
        tables, places = self.tables_of(np.concatenate(parts))
        return tables, places.reshape(r, m)

    def _from_codes(self, sets: Ints, shape: list[int]) -> Ints:
        """The tables of the sets, (m, *shape), each from a code for each record."""
        cells = contingency.countable_cells(shape)
        # 16 bits are three times as fast
        kind = np.uint16 if cells <= contingency.SMALL else np.int64
        tables = []
        for first, *others in sets.tolist():
            codes = self._columns[first].astype(kind)
            for variable, levels in zip(others, shape[1:], strict=True):
                codes *= kind(levels)
                codes += self._columns[variable].astype(kind, copy=False)
            tables.append(np.bincount(codes, minlength=cells))
        return in_one_piece(tables).reshape(len(sets), *shape)

    def _without_last_levels(self, sets: Ints, shape: list[int]) -> Ints:
        """The tables of the sets without the last level of each variable, (m, levels - 1 ...)."""
        counted = [levels - 1 for levels in shape]
        found = np.empty((len(sets), prod(counted)), dtype=np.int64)
        step = max(1, contingency.WORDS_AT_ONCE // max(1, prod(counted) * self._bits.shape[1]))
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
        """The records with each level but the last of each variable, (m, levels, words)."""
        return self._bits.take(self._ends[variables, None] + np.arange(-levels, 0), axis=0)


def _completed(counted: Ints, smaller: ContingencyTables, places: Ints) -> Ints:
    """The tables of m sets, (m, levels ...), from their counts without the last levels.

    Args:
        counted: the counts, (m, levels - 1 ...).
        smaller: the tables of the sets without one variable.
        places: the places in `smaller` of the sets without their variable k, in row k, (r, m).
    """
    shape = [levels + 1 for levels in counted.shape[1:]]
    tables = np.empty((len(counted), *shape), dtype=np.int64)
    every: Any = slice(None)
    but_last, last, r = slice(-1), -1, len(shape)
    tables[(every, *[but_last] * r)] = counted
    for k, without in enumerate(places):
        before, after = [every] * (k + 1), [but_last] * (r - k - 1)
        sums = smaller.at(without, shape[:k] + shape[k + 1 :])[(*before, *after)]
        others = tables[(*before, but_last, *after)].sum(axis=k + 1)
        tables[(*before, last, *after)] = sums - others
    return tables


def _of_no_variable(records: int) -> ContingencyTables:
    """The table of the set of no variable, whose only count is the number of records."""
    zero, count = np.zeros(1, dtype=np.int64), np.array([records])
    starts = np.zeros((1, 0), dtype=np.int64)
    return ContingencyTables(zero, count, zero, xlogy(count, count), EMPTY, starts)


def _bits(columns: Ints, levels: Ints) -> Words:
    """The records with each level but the last, (sum of levels - 1, words of 64 records)."""
    words = ceil(columns.shape[1] / contingency.WORD)
    sets = [
        contingency.packed(column == np.arange(count - 1, dtype=column.dtype)[:, None], words)
        for column, count in zip(columns, levels.tolist(), strict=True)
    ]
    return np.concatenate(sets)


def _no_tables(size: int) -> ContingencyTables:
    """The tables of no set; a set would have `size` variables."""
    starts = np.zeros((0, size), dtype=np.int64)
    return ContingencyTables(EMPTY, EMPTY, EMPTY, np.zeros(0), EMPTY, starts)


def _numbers(rows: Ints, base: int) -> Ints:
    """A different number for each different row of `rows` (m, r), which are below `base`, (m,)."""
    kind = np.int64 if base ** rows.shape[1] < 2**63 else object
    numbers = np.zeros(len(rows), dtype=kind)
    for column in rows.T:
        numbers = numbers * base + column
    return numbers


class RecordsG2:
    """The G^2 test on categorical observations, from exact counts that many tests share.

    The formula needs tables whose smaller tables are exactly their sums. Noisy tables, in which
    negative counts become 0, are not like that: `independence.TablesG2` is the test for them.

    Args:
        observations: the records.
        freedom: how degrees of freedom are counted.
        records_per_freedom: the number of records for each degree of freedom below which the
            p-value is 1; pcalg uses 10.

    Raises:
        ValueError: the variables are numeric.
    """

    @checked
    def __init__(
        self,
        observations: Observations,
        *,
        freedom: Freedom = "full",
        records_per_freedom: NotNegative = 0.0,
    ) -> None:
        self.effort = len(observations)
        self._freedom, self._enough = freedom, records_per_freedom
        levels = np.array(observations.levels)
        ascending = np.argsort(levels, kind="stable")
        self._number = np.argsort(ascending)  # of each variable in the order of levels
        self._levels = levels[ascending]
        columns = counted(observations).columns[ascending]
        self._counts = SetCounts(columns, self._levels, freedom)

    def p_values(self, questions: Ints) -> Floats:
        """The p-values (m,) of m independence tests, one for each row of `questions`."""
        asked = self._number[questions]
        levels = self._levels[asked]  # (m, 2 + order)
        strata = levels[:, 2:].prod(axis=1, dtype=float)
        freedom = (levels[:, 0] - 1) * (levels[:, 1] - 1) * strata
        enough = np.flatnonzero(self.effort >= self._enough * freedom)
        p_values = np.ones(len(asked))
        for rows in _parts(enough, levels[enough].prod(axis=1, dtype=float)):
            p_values[rows] = self._tested(asked[rows], freedom[rows], strata[rows])
        return p_values

    def _tested(self, asked: Ints, freedom: Floats, strata: Floats) -> Floats:
        """The p-values (m,) of tests, with the full degrees of freedom and numbers of strata."""
        statistics = self._information(asked)  # first, since an error names the whole table
        first, second = np.delete(asked, 1, axis=1), asked[:, 1:]  # (m, 1 + order)
        halves = np.sort(np.concatenate([first, second]))
        tables, places = self._counts.tables_of(halves)
        statistics = statistics + self._information(asked[:, 2:])
        statistics -= tables.information[places].reshape(2, -1).sum(axis=0)
        if self._freedom == "adjusted":
            tested = asked[:, :2].T.ravel()  # i of all tests, then j
            begins = tables.free_starts[places, (halves < tested[:, None]).sum(axis=1)]
            freedom = _sums_of_products(tables.free_levels, begins.reshape(2, -1), strata)
        return chi_squared_tail(np.maximum(2 * statistics, 0.0), freedom)

    def _information(self, sets: Ints) -> Floats:
        tables, places = self._counts.tables_of(np.sort(sets))
        return tables.information[places]


def _sums_of_products(free_levels: Ints, begins: Ints, strata: Floats) -> Floats:
    """The degrees of freedom of m tests: the sums over strata of the products of free levels.

    `begins` (2, m) is where those of i and of j begin in `free_levels`.
    """
    freedom = np.empty(len(strata))
    for count in np.unique(strata):
        tests = np.flatnonzero(strata == count)
        of_i, of_j = free_levels[begins[:, tests, None] + np.arange(count, dtype=np.int64)]
        freedom[tests] = (of_i * of_j).sum(axis=1)
    return freedom


def _parts(rows: Ints, cells: Floats) -> Iterator[Ints]:
    """Yields `rows` (m,) in parts whose tables have about REMEMBERED cells, given their `cells`."""
    if len(rows):
        part = np.cumsum(cells) // contingency.REMEMBERED
        yield from np.split(rows, np.flatnonzero(np.diff(part)) + 1)


@once_per_records
def g2(
    observations: Observations, freedom: Freedom = "full", records_per_freedom: float = 0.0
) -> RecordsG2:
    """The G^2 test of categorical observations; counts are cached for the observations."""
    return RecordsG2(observations, freedom=freedom, records_per_freedom=records_per_freedom)
