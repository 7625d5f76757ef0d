"""Spikes: single numbers that many records have, found by narrowing a cell with a large count.

A cell is divided into PARTS equal parts, and a part that holds most of the cell's records again, in
LEVELS steps. The last part is so narrow that a number in a table is found again when it is rounded
to nine decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.synthesis.column_cells import GRID, CellBins, CountedColumn, Spike

PARTS, LEVELS = 2**10, 4  # a cell of 1/256 of a range has parts of 2^-48 of the range at the end
LEAST = 0.5  # of a cell's records, those that its spike must have; ours
CERTAIN = 5.0  # standard deviations of the noise: a larger count is not noise alone


@dataclass(frozen=True)
class SpikeSearch:
    """A part of a cell of a number, in which there may be a spike."""

    column: int  # the index of the column
    place: int  # the feature that is the number
    cell: int  # the cell
    whole: float  # the estimated count of the cell
    level: int = 0  # how often the cell was divided
    part: int = 0  # the index of the part among all parts of its level
    count: float = 0.0  # the noisy count of the part

    def counts(self, records: Records) -> Floats:
        """The counts of the parts of this part, (PARTS,); a record is in at most one."""
        x = records.X[:, self.place].clip(0.0, 1.0)
        x = x[(x >= GRID[self.cell]) & (x < GRID[self.cell + 1])]
        # among all parts of the next level: products with powers of 2 are exact
        places = np.floor((x - GRID[self.cell]) / self._width * PARTS ** (self.level + 1))
        places -= self.part * PARTS
        inside = places[(places >= 0) & (places < PARTS)].astype(np.int64)
        return np.bincount(inside, minlength=PARTS).astype(float)

    def narrowed(self, noisy: Floats, sigma: float) -> SpikeSearch | None:
        """The search in the part with the largest noisy count; None if it holds no spike."""
        best = int(noisy.argmax())
        if noisy[best] < max(LEAST * self.whole, CERTAIN * sigma):
            return None
        level, part, count = self.level + 1, self.part * PARTS + best, float(noisy[best])
        return replace(self, level=level, part=part, count=count)

    @property
    def found(self) -> Spike:
        """The middle of the part as a spike."""
        number = GRID[self.cell] + (self.part + 0.5) / PARTS**self.level * self._width
        return Spike(self.cell, float(number), min(self.count / self.whole, 1.0))

    @property
    def _width(self) -> float:
        return float(GRID[self.cell + 1] - GRID[self.cell])


def searches(
    columns: Sequence[CountedColumn], bins: Sequence[CellBins], least: float
) -> list[SpikeSearch]:
    """A search in each cell of a number with an estimated count of at least `least`.

    The first and the last cell of a number are spikes themselves.
    """
    found = []
    for k, (column, own) in enumerate(zip(columns, bins, strict=True)):
        if column.is_number:
            large = np.flatnonzero(own.counts[1:-1] >= least) + 1
            place = column.places[0]
            found += [SpikeSearch(k, place, int(c), float(own.counts[c])) for c in large]
    return found


def with_spikes(bins: Sequence[CellBins], found: Sequence[SpikeSearch]) -> tuple[CellBins, ...]:
    """The bins of each column with the spikes that were found."""
    spikes: list[list[Spike]] = [[] for _ in bins]
    for search in found:
        spikes[search.column].append(search.found)
    return tuple(replace(own, spikes=tuple(more)) for own, more in zip(bins, spikes, strict=True))
