"""Contingency tables: counts of each combination of the values of a few variables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil, prod
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
WORDS_AT_ONCE = 2**16  # of the sets of records that are counted together: 512 kB
AT_ONCE = 2**18  # cells of the tables that are tested together: 2 MB


class Tables(Protocol):
    """A source of contingency tables: the records themselves, or a noisy joint table."""

    levels: tuple[int, ...]  # the number of levels of each variable
    records: float  # the number of records, or the sum of noisy counts
    effort: int  # number of records, or of cells of the joint table, that are summed for one table

    def prepare(self, questions: list[tuple[int, ...]]) -> None:
        """Prepares the tables of the variables of each of `questions`, which are asked for next."""
        ...

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
        self._set_words = ceil(len(values) / WORD)  # of a set of records
        self._columns: dict[type, Ints] = {}
        self._memory: dict[tuple[int, ...], Floats] = {}
        self._room = REMEMBERED

    def table(self, i: int, j: int, given: tuple[int, ...] = ()) -> Floats:
        """The counts of records, (strata, levels of variable i, levels of variable j)."""
        return arranged(self._count(tuple(sorted((*given, i, j)))), i, j, given)

    def _count(self, variables: tuple[int, ...]) -> Floats:
        counts = self._memory.get(variables)
        if counts is None:
            counts = self._counted(variables)
            self._remember(variables, counts)
        return counts

    def _remember(self, variables: tuple[int, ...], counts: Floats) -> None:
        if counts.size <= self._room:
            self._room -= counts.size
            self._memory[variables] = counts

    def prepare(self, questions: list[tuple[int, ...]]) -> None:
        """Caches the tables of these variables that have few cells."""
        lasts: dict[tuple[int, ...], list[int]] = {}
        for variables in {tuple(sorted(question)) for question in questions} - self._memory.keys():
            if prod([self.levels[variable] for variable in variables]) <= FEW_CELLS:
                lasts.setdefault(variables[:-1], []).append(variables[-1])
        for shared, others in lasts.items():
            if len(others) > 1:
                self._count_together(shared, others)

    def _count_together(self, shared: tuple[int, ...], others: list[int]) -> None:
        """Caches the tables of the shared variables with each of the others."""
        cells = self._cells(shared)  # (levels of the shared variables ..., words)
        most = max(self.levels[other] for other in others)
        step = max(1, WORDS_AT_ONCE // max(1, cells.size * most))
        for start in range(0, len(others), step):
            block = others[start : start + step]
            sets = np.concatenate([self._bits[other] for other in block])  # (sets, words)
            counts = _sizes(cells[..., None, :] & sets)  # (levels ..., sets)
            first = 0
            for other in block:
                end = first + self.levels[other]
                self._remember((*shared, other), np.ascontiguousarray(counts[..., first:end]))
                first = end

    def _counted(self, variables: tuple[int, ...]) -> Floats:
        shape = [self.levels[variable] for variable in variables]
        cells = countable_cells(shape)
        if cells <= FEW_CELLS:
            return self._counted_by_bits(variables)
        kind = np.uint16 if cells <= SMALL else np.int64  # 16 bits are three times as fast
        columns = self._in_columns(kind)
        codes = columns[variables[0]]
        for variable in variables[1:]:
            codes = codes * kind(self.levels[variable]) + columns[variable]
        return np.bincount(codes, minlength=cells).astype(float).reshape(shape)

    @property
    def columns(self) -> Ints:
        """The codes of each variable in one piece of memory, (p, n)."""
        return self._in_columns(np.uint16 if max(self.levels) <= SMALL else np.int64)

    def _in_columns(self, kind: type) -> Ints:
        """The codes of each variable in one piece of memory, of the type `kind`, (p, n)."""
        if kind not in self._columns:
            self._columns[kind] = np.ascontiguousarray(self._values.astype(kind).T)
        return self._columns[kind]

    def _counted_by_bits(self, variables: tuple[int, ...]) -> Floats:
        """The counts of a table with few cells, whose cells are sets of records, one bit each."""
        return _sizes(self._cells(variables))

    def _cells(self, variables: tuple[int, ...]) -> Words:
        """The records of each cell of the table of the variables, (levels ..., words)."""
        cells = self._bits[variables[0]]
        for variable in variables[1:]:
            cells = cells[..., None, :] & self._bits[variable]
        return cells

    @cached_property
    def _bits(self) -> list[Words]:
        """For each variable the records with each level, (levels, words of 64 records)."""
        columns = self._in_columns(np.uint16)
        return [
            packed(column == np.arange(levels, dtype=np.uint16)[:, None], self._set_words)
            for column, levels in zip(columns, self.levels, strict=True)
        ]


def countable_cells(shape: Sequence[int]) -> int:
    """The number of cells of a contingency table that has this shape."""
    cells = prod(shape)
    if cells > LARGEST:
        raise ValueError(
            f"the contingency table of {len(shape)} variables has {cells:,} cells, "
            "too many to count: use fewer variables or levels"
        )
    return cells


def _sizes(sets: Words) -> Floats:
    """The number of records in each of the sets (..., words), (...)."""
    sizes: Floats = np.bitwise_count(sets).sum(axis=-1, dtype=np.uint32).astype(float)
    return sizes


def packed(masks: Mask, words: int) -> Words:
    """Masks (m, n) as bits, (m, words), with zeros after the last record."""
    padded = np.zeros((len(masks), words * WORD), dtype=bool)
    padded[:, : masks.shape[1]] = masks
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

    def prepare(self, questions: list[tuple[int, ...]]) -> None:
        """Does nothing: sums over all other variables are not faster together."""

    def table(self, i: int, j: int, given: tuple[int, ...] = ()) -> Floats:
        """The counts of records, (strata, levels of variable i, levels of variable j)."""
        return arranged(np.maximum(self._summed({i, j, *given}), 0.0), i, j, given)

    def _summed(self, variables: set[int]) -> Floats:
        """The marginal table of the variables with the given indices."""
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
    tables.prepare(questions)
    shapes: dict[tuple[int, int, int], list[int]] = {}
    for k, (i, j, *given) in enumerate(questions):
        strata = prod(tables.levels[v] for v in given)
        shapes.setdefault((strata, tables.levels[i], tables.levels[j]), []).append(k)
    for shape, places in shapes.items():
        step = max(1, AT_ONCE // prod(shape))
        for start in range(0, len(places), step):
            block = places[start : start + step]
            asked = [questions[k] for k in block]
            found = [tables.table(i, j, tuple(given)) for i, j, *given in asked]
            yield block, np.concatenate(found).reshape(len(block), *shape)


def arranged(counts: Floats, i: int, j: int, given: tuple[int, ...]) -> Floats:
    """The counts, arranged as (strata, levels of variable i, levels of variable j).

    A stratum is a combination of levels of the variables `given`. `counts` has one axis for each of
    the variables i, j and `given`, in ascending order.
    """
    wanted = [*given, i, j]
    ascending = sorted(wanted)
    if wanted != ascending:
        counts = counts.transpose([ascending.index(variable) for variable in wanted])
    return counts.reshape(-1, *counts.shape[-2:])
