"""Contingency tables: counts of each combination of the values of a few variables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask, Words
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.variables import Observations

REMEMBERED = 2**21  # cells of all cached tables: 16 MB
LARGEST = 2**26  # cells of the largest table that is counted: 512 MB
SMALL = 2**16  # cells that a 16-bit code can number
FEW_CELLS = 64  # cells of a table for which sets of records are counted faster than codes
WORD = 64  # records of a word of bits
AT_ONCE = 2**18  # cells of the tables that are tested together: 2 MB


class Tables(Protocol):
    """A source of contingency tables: the records themselves, or a noisy joint table."""

    levels: tuple[int, ...]
    """The number of levels of each variable."""
    records: float
    """The number of records, or the sum of noisy counts."""
    effort: int
    """The number of records, or of cells of the joint table, that are summed for one table."""

    def table(self, i: int, j: int, given: tuple[int, ...] = ()) -> Floats:
        """The counts of records, (strata, levels of variable i, levels of variable j).

        A stratum is a combination of levels of the variables `given`.
        """
        ...


class CountedTables:
    """The contingency tables of observed codes (n, p); small tables are cached."""

    def __init__(self, values: Ints, levels: tuple[int, ...]) -> None:
        self.levels = levels
        self.records = float(len(values))
        self.effort = len(values)
        self._values = values
        self._columns: dict[type, Ints] = {}
        self._memory: dict[tuple[int, ...], Floats] = {}
        self._room = REMEMBERED

    def table(self, i: int, j: int, given: tuple[int, ...] = ()) -> Floats:
        """The counts of records, (strata, levels of variable i, levels of variable j).

        A stratum is a combination of levels of the variables `given`.

        Raises:
            ValueError: the table has more than LARGEST cells.
        """
        return arranged(self._count(tuple(sorted((*given, i, j)))), i, j, given)

    def _count(self, variables: tuple[int, ...]) -> Floats:
        counts = self._memory.get(variables)
        if counts is None:
            counts = self._counted(variables)
            if counts.size <= self._room:
                self._room -= counts.size
                self._memory[variables] = counts
        return counts

    def _counted(self, variables: tuple[int, ...]) -> Floats:
        shape = [self.levels[variable] for variable in variables]
        if prod(shape) > LARGEST:
            raise ValueError(
                f"the contingency table of {len(shape)} variables has {prod(shape):,} cells, "
                "too many to count: use fewer variables or levels"
            )
        if prod(shape) <= FEW_CELLS:
            return self._counted_by_bits(variables)
        kind = np.uint16 if prod(shape) <= SMALL else np.int64  # 16 bits are three times as fast
        columns = self._in_columns(kind)
        codes = columns[variables[0]]
        for variable in variables[1:]:
            codes = codes * kind(self.levels[variable]) + columns[variable]
        return np.bincount(codes, minlength=prod(shape)).astype(float).reshape(shape)

    def _in_columns(self, kind: type) -> Ints:
        """The codes of each variable in one piece of memory, of the type `kind`, (p, n)."""
        if kind not in self._columns:
            self._columns[kind] = np.ascontiguousarray(self._values.T, dtype=kind)
        return self._columns[kind]

    def _counted_by_bits(self, variables: tuple[int, ...]) -> Floats:
        """The counts of a table with few cells, whose cells are sets of records, one bit each."""
        cells = self._bits[variables[0]]  # (levels, words)
        for variable in variables[1:]:
            cells = cells[..., None, :] & self._bits[variable]
        counts = np.bitwise_count(cells).sum(axis=-1, dtype=np.int64)
        return np.asarray(counts, dtype=float)

    @cached_property
    def _bits(self) -> list[Words]:
        """For each variable the records with each level, (levels, words of 64 records)."""
        columns = self._in_columns(np.uint16)
        return [
            _packed(column == np.arange(levels, dtype=np.uint16)[:, None])
            for column, levels in zip(columns, self.levels, strict=True)
        ]


def _packed(masks: Mask) -> Words:
    """Masks (m, n) as bits, (m, words), with zeros after the last record."""
    padded = np.pad(masks, ((0, 0), (0, -masks.shape[1] % WORD)))
    return np.packbits(padded, axis=1).view(np.uint64)


class JointTable:
    """The marginal tables of a table of counts over all variables, such as a noisy table.

    Negative counts of a marginal table become 0.
    """

    def __init__(self, joint: Floats) -> None:
        self.levels = joint.shape
        self.records = float(joint.sum())
        self.effort = joint.size
        self._joint = joint
        self._memory: dict[tuple[int, tuple[int, ...]], Floats] = {}
        self._room = max(REMEMBERED, 2 * joint.size)

    def table(self, i: int, j: int, given: tuple[int, ...] = ()) -> Floats:
        """The counts of records, (strata, levels of variable i, levels of variable j).

        A stratum is a combination of levels of the variables `given`. The records are those of a
        joint table, which may be noisy.
        """
        return arranged(np.maximum(self._summed({i, j, *given}), 0.0), i, j, given)

    def _summed(self, variables: set[int]) -> Floats:
        """The marginal table of the variables with the given indices.

        Sums over the other variables are cached.
        """
        part, kept = self._joint, tuple[int, ...]()
        for variable in range(len(self.levels)):
            if variable in variables:
                kept += (variable,)
                continue
            found = self._memory.get((variable, kept))
            if found is None:
                found = part.sum(axis=len(kept))
                if found.size <= self._room:
                    self._room -= found.size
                    self._memory[variable, kept] = found
            part = found
        return part


@once_per_records
def counted(observations: Observations) -> CountedTables:
    """The contingency tables of categorical observations.

    Raises:
        ValueError: the variables are numeric.
    """
    if not observations.categorical:
        raise ValueError(
            "the variables of a contingency table must be categorical, got numerical ones"
        )
    return CountedTables(np.asarray(observations.values, dtype=np.int64), observations.levels)


@once_per_records
def joint_counts(observations: Observations) -> Floats:
    """The count of each combination of the values of all variables, (cells,).

    The value of the last variable changes fastest.
    """
    cells = np.ravel_multi_index(tuple(observations.values.T), observations.levels)
    return np.bincount(cells, minlength=prod(observations.levels)).astype(float)


def in_blocks(
    tables: Tables, questions: list[tuple[int, ...]]
) -> Iterator[tuple[list[int], Floats]]:
    """Yields the tables of many questions, in blocks of m tables with equal shapes.

    A question (i, j, given ...) asks for the table of the variables i and j in the strata of the
    variables `given`. A block is (indices of the questions, tables (m, strata, levels of i, levels
    of j)).
    """
    shapes: dict[tuple[int, int, int], list[int]] = {}
    for k, (i, j, *given) in enumerate(questions):
        strata = prod(tables.levels[v] for v in given)
        shapes.setdefault((strata, tables.levels[i], tables.levels[j]), []).append(k)
    for shape, places in shapes.items():
        step = max(1, AT_ONCE // prod(shape))
        for start in range(0, len(places), step):
            block = places[start : start + step]
            asked = [questions[k] for k in block]
            yield block, np.stack([tables.table(i, j, tuple(given)) for i, j, *given in asked])


def arranged(counts: Floats, i: int, j: int, given: tuple[int, ...]) -> Floats:
    """The counts, arranged as (strata, levels of variable i, levels of variable j).

    A stratum is a combination of levels of the variables `given`. `counts` has one axis for each of
    the variables i, j and `given`, in ascending order.
    """
    wanted = (*given, i, j)
    ascending = sorted(wanted)
    turned = counts.transpose([ascending.index(variable) for variable in wanted])
    return turned.reshape(-1, *turned.shape[-2:])
