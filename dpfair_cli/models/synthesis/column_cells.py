"""The cells of the columns of records: levels, and intervals of a public grid for numbers.

The grid divides [0, 1] into intervals of 1/256, with shorter intervals near both ends, where most
values of a skewed number such as an income are. The ends 0 and 1 have cells that hold nearly
nothing else, so that a column with many zeros keeps them.

The counts of a number's cells are measured at three resolutions: every cell, sums of 8 cells and
sums of 64 cells (Hay, Rastogi, Miklau and Suciu 2010). The error of the number of records below a
value then does not grow with the number of cells below it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.kinds.records import Domain, Records

FANOUT = 8  # cells that a sum of the next resolution adds; ours
RESOLUTIONS = 3
STEPS = 300  # of the accelerated descent, which is at its limit then
SHARE_OF_SMALLEST = 0.25  # of a bin of equal mass that a bin must hold at least; ours
NOISE = 2.0  # standard deviations of the noise: a smaller sum may be noise alone
RARE = 2.0  # standard deviations of the noise: levels with smaller counts form one bin


def uniform(n: int, rng: np.random.Generator) -> Floats:
    """Numbers drawn evenly from 2^32 equally spaced ones in [0, 1), (n,)."""
    return np.asarray(rng.integers(2**32, size=n) / 2**32)


def _grid() -> Floats:
    """The lower ends of the cells of a number in [0, 1]; the last cell is the number 1 alone."""
    near = 2.0 ** -(5 + np.arange(121) / 8)  # from 1/32 down to 2^-20, eight to an octave
    return np.unique(np.concatenate([[0.0], near, np.arange(8, 249) / 256, 1 - near, [1.0]]))


GRID = _grid()


@dataclass(frozen=True)
class CountedColumn:
    """A column of records: an attribute, the protected column or the label."""

    places: tuple[int, ...]  # the features of an attribute; empty for the other columns
    is_number: bool
    cells: int  # the number of its cells

    @property
    def resolutions(self) -> int:
        """The number of resolutions at which the counts of the cells are measured."""
        return RESOLUTIONS if self.is_number else 1

    @property
    def measured(self) -> int:
        """The number of counts that are measured."""
        return len(summing(self))

    def counts(self, codes: Ints) -> Floats:
        """The counts of the cells of records, at all resolutions, (measured,)."""
        return summing(self) @ np.bincount(codes, minlength=self.cells)

    def codes(self, X: Floats) -> Ints:
        """The cell of each record with the features X, (n,)."""
        if self.is_number:
            inside = X[:, self.places[0]].clip(0.0, 1.0)
            return np.asarray(np.searchsorted(GRID, inside, side="right") - 1)
        # the first level has no feature of its own
        levels = np.insert(X[:, list(self.places)], 0, 0.5, axis=1)
        return np.asarray(levels.argmax(axis=1))

    def features(self, cells: Ints, *, rng: np.random.Generator) -> Floats:
        """The features of records in these cells; numbers are drawn evenly from their cells."""
        if not self.is_number:
            return np.eye(self.cells)[cells, 1:]
        widths = np.diff(GRID, append=1.0)
        widths[0] = 0.0  # a number in the first cell is 0, up to 2^-20
        return (GRID[cells] + widths[cells] * uniform(len(cells), rng))[:, None]


def columns_of(domain: Domain) -> tuple[CountedColumn, ...]:
    """The attributes of records, then the protected column and the label.

    Raises:
        ValueError: the records have bins in place of numbers.
    """
    if domain.values:
        raise ValueError(
            "the method needs the numbers, not bins of them: load the data set with "
            "encoding=one_hot"
        )
    found = []
    for name, places in domain.attributes.items():
        is_number = len(places) == 1 and domain.columns[places[0]] == name
        cells = len(GRID) if is_number else len(places) + 1
        found.append(CountedColumn(tuple(places), is_number, cells))
    return (*found, CountedColumn((), False, len(domain.groups)), CountedColumn((), False, 2))


def codes_of(records: Records, columns: tuple[CountedColumn, ...]) -> list[Ints]:
    """The cells of the records in each column, a list of (n,)."""
    attributes = [column.codes(records.X) for column in columns[:-2]]
    return [*attributes, records.protected, records.y]


@cache
def summing(column: CountedColumn) -> Floats:
    """The 0/1 matrix whose product with the counts of the cells is what is measured."""
    every = np.eye(column.cells)
    if not column.is_number:
        return every
    sizes = [FANOUT**k for k in range(RESOLUTIONS)]
    sums = [np.add.reduceat(every, np.arange(0, column.cells, size)) for size in sizes]
    return np.vstack(sums)


def estimated_counts(noisy: Floats, column: CountedColumn, n: int, sigma: float) -> Floats:
    """The nonnegative counts with sum n whose resolutions are nearest to the noisy ones, (cells,).

    Cells whose noisy sum at the last resolution may be noise alone are empty, since few records at
    the far end of a wide range would move the mean. The method is accelerated projected gradient
    descent (Beck and Teboulle 2009).
    """
    A = summing(column)
    is_empty = _is_empty(noisy, column, sigma)
    gram, right = A.T @ A, A.T @ noisy
    # a cell is in a sum of FANOUT^k cells for each k: the largest eigenvalue is at most this
    largest = sum(FANOUT**k for k in range(column.resolutions))
    found = ahead = np.full(column.cells, n / column.cells)
    t = 1.0
    for _ in range(STEPS):
        aim = ahead - (gram @ ahead - right) / largest
        moved = onto_simplex(np.where(is_empty, -np.inf, aim), n)
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        ahead = moved + (t - 1) / after * (moved - found)
        found, t = moved, after
    return found


def _is_empty(noisy: Floats, column: CountedColumn, sigma: float) -> Mask:
    """Whether a cell counts as empty because noise may explain its sum, (cells,)."""
    if not column.is_number:
        return np.zeros(column.cells, dtype=bool)
    size = FANOUT ** (RESOLUTIONS - 1)
    sums = noisy[-math.ceil(column.cells / size) :]
    is_noise = sums < min(NOISE * sigma, sums.max())
    return np.asarray(np.repeat(is_noise, size)[: column.cells])


def onto_simplex(x: Floats, total: float) -> Floats:
    """The nonnegative numbers with the sum `total` that are nearest to x, (m,).

    An entry -infinity becomes 0.
    """
    falling = np.sort(x[x > -np.inf])[::-1]
    excess = (falling.cumsum() - total) / np.arange(1, len(falling) + 1)
    last = np.flatnonzero(falling >= excess)[-1]
    return np.asarray(np.maximum(x - excess[last], 0.0))


@dataclass(frozen=True)
class Spike:
    """A number that many records of a cell have."""

    cell: int  # the cell
    number: float  # the number, in [0, 1]
    share: float  # its share of the records of the cell


@dataclass(frozen=True, eq=False)
class CellBins:
    """Bins of the cells of a column, and the share of each cell within its bin."""

    places: Ints  # the bin of each cell, (cells,)
    counts: Floats  # the estimated count of each cell, (cells,)
    spikes: tuple[Spike, ...] = ()  # those of a number

    @cached_property
    def size(self) -> int:
        """The number of bins."""
        return int(self.places.max()) + 1

    @property
    def shares(self) -> Floats:
        """The share of the records in each bin, (bins,)."""
        found = np.bincount(self.places, self.counts, self.size)
        return np.asarray(found / found.sum())

    def cells(self, bins: Ints, *, rng: np.random.Generator) -> Ints:
        """A cell for each of `bins`, drawn with probability proportional to its count."""
        # a little for every cell, for bins without any count
        counts = self.counts + 1e-9
        found = np.zeros(len(bins), dtype=np.int64)
        for k in range(self.size):
            inside, rows = np.flatnonzero(self.places == k), np.flatnonzero(bins == k)
            weights = counts[inside]
            found[rows] = rng.choice(inside, size=len(rows), p=weights / weights.sum())
        return found

    def with_spikes(self, features: Floats, cells: Ints, *, rng: np.random.Generator) -> Floats:
        """The features of records in these cells, of whom some have the number of a spike."""
        found = features.copy()
        for spike in self.spikes:
            rows = np.flatnonzero(cells == spike.cell)
            found[rows[uniform(len(rows), rng) < spike.share]] = spike.number
        return found


def bins_of_number(counts: Floats, most: int) -> CellBins:
    """Bins of neighbouring cells with about equal counts; a cell with a large count is a bin.

    `most` is the number of bins if no cell is large.
    """
    n = counts.sum()
    is_spike = counts >= n / most
    goal = max(counts[~is_spike].sum() / most, SHARE_OF_SMALLEST * n / most)
    places, bin_, held = np.zeros(len(counts), dtype=np.int64), -1, np.inf
    for cell, count in enumerate(counts):
        # a cell opens a bin where this brings the one before nearer to the goal
        if is_spike[cell] or held + count / 2 >= goal:
            bin_, held = bin_ + 1, 0.0
        places[cell] = bin_
        held = np.inf if is_spike[cell] else held + count
    return CellBins(places, counts)


def bins_of_levels(counts: Floats, sigma: float) -> CellBins:
    """A bin for each level, but one for all levels with counts that noise may explain."""
    is_rare = counts < RARE * sigma
    if is_rare.sum() < 2:
        return CellBins(np.arange(len(counts)), counts)
    places = np.cumsum(~is_rare) - 1
    return CellBins(np.where(is_rare, (~is_rare).sum(), places), counts)


def saved(bins: CellBins) -> dict[str, Any]:
    """The bins as JSON."""
    spikes = [vars(spike) for spike in bins.spikes]
    return {
        "places": bins.places.tolist(),
        "counts": bins.counts.round(3).tolist(),
        "spikes": spikes,
    }


def restored(found: Mapping[str, Any]) -> CellBins:
    """The bins that a model file holds."""
    return CellBins(
        np.array(found["places"], dtype=np.int64),
        np.array(found["counts"], dtype=float),
        tuple(Spike(**spike) for spike in found["spikes"]),
    )
