"""The tables of counts of all pairs of columns, and what noisy releases of them say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.models.synthesis.product_mixture import Blocks, Measured, Pair

ROUNDING = 1.0  # records; the deviation of a count that is measured without noise


class PairTables:
    """The tables of the pairs of columns of records.

    Args:
        codes: the bins of the records in each column, a list of (records,).
        sizes: the number of bins of each column.
        n: the public number of records.
    """

    def __init__(self, codes: Sequence[Ints], sizes: Sequence[int], n: int) -> None:
        self.codes, self.blocks, self.n = codes, Blocks(tuple(sizes)), max(n, 1)
        self.pairs: list[Pair] = list(combinations(range(len(sizes)), 2))

    @property
    def cells(self) -> Floats:
        """The number of cells of each table, (pairs,)."""
        sizes = self.blocks.sizes
        return np.array([float(sizes[i] * sizes[j]) for i, j in self.pairs])

    @cached_property
    def counts(self) -> list[Floats]:
        """The table of each pair, a list of (bins, bins)."""
        sizes, found = self.blocks.sizes, []
        for i, j in self.pairs:
            cells = self.codes[i] * sizes[j] + self.codes[j]
            counted = np.bincount(cells, minlength=sizes[i] * sizes[j])
            found.append(counted.reshape(sizes[i], sizes[j]).astype(float))
        return found

    def distances(self, model: Floats) -> Floats:
        """The L1 distance of each table from n times the expected shares of a model, (pairs,)."""
        expected = [self.n * self.blocks.table(model, pair) for pair in self.pairs]
        gaps = zip(self.counts, expected, strict=True)
        return np.array([np.abs(table - other).sum() for table, other in gaps])

    def weighted(self, chosen: Sequence[int], weights: Floats) -> Floats:
        """The cells of the chosen tables, each table multiplied by its weight."""
        tables = zip(chosen, weights, strict=True)
        return np.concatenate([weight * self.counts[k].ravel() for k, weight in tables])

    def measured(
        self, noisy: Floats, chosen: Sequence[int], weights: Floats, sigma: float
    ) -> Iterator[tuple[Pair, Measured]]:
        """Yields each chosen pair with its table, from a noisy release of `weighted`."""
        ends = self.cells[chosen].cumsum().astype(int)[:-1]
        for k, weight, own in zip(chosen, weights, np.split(noisy, ends), strict=True):
            i, j = self.pairs[k]
            shape = self.blocks.sizes[i], self.blocks.sizes[j]
            variance = (sigma / weight) ** 2 + ROUNDING**2
            shares = own.reshape(shape) / (weight * self.n)
            yield self.pairs[k], Measured(shares, self.n**2 / variance)
