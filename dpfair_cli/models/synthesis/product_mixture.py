"""A mixture of products: each component draws the columns of a record independently.

The table of two columns under the mixture is the mean of the outer products of the components'
distributions, so that all tables together are one product of matrices. The mixture is fitted to
measured tables by gradient descent (as in Liu, Vietri and Wu 2021, where a network draws the
components).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.models.synthesis.column_cells import uniform

Pair = tuple[int, int]  # the indices of two columns, the smaller one first
SMALLEST = 1e-4  # share from which the logarithm of a bin starts
SPREAD = 2.4  # range of the first log-odds of a bin, which makes the components differ
DECAYS = 0.9, 0.99  # of the means of gradients and of their squares (Kingma and Ba 2015)
RATE = 0.1  # the learning rate at the start of a fit, which then falls to 0
WEAK = 0.3  # precision of independence where nothing is measured, relative to the mean; ours


@dataclass(frozen=True, eq=False)
class Measured:
    """A measured table of two columns."""

    shares: Floats  # the noisy shares of the records, (bins, bins)
    precision: float  # 1 / the variance of the noise

    def joined(self, other: Measured | None) -> Measured:
        """The mean of two measurements of one table, weighted by precision."""
        if other is None:
            return self
        total = self.precision + other.precision
        mean = self.shares * self.precision + other.shares * other.precision
        return Measured(mean / total, total)


@dataclass(frozen=True)
class Blocks:
    """The columns as consecutive blocks of one vector of all bins."""

    sizes: tuple[int, ...]  # the number of bins of each column

    @cached_property
    def of_columns(self) -> list[slice]:
        """The place of each column in the vector."""
        ends = np.cumsum(self.sizes).tolist()
        return [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]

    def table(self, tables: Floats, pair: Pair) -> Floats:
        """The table of two columns, a block of the matrix of all tables."""
        i, j = pair
        return tables[self.of_columns[i], self.of_columns[j]]


@dataclass(frozen=True, eq=False)
class ProductMixture:
    """A mixture of components with equal weights."""

    blocks: Blocks
    probabilities: Floats  # of the bins of each column under each component, (components, bins)

    @property
    def tables(self) -> Floats:
        """The expected shares of all pairs of bins, (bins, bins)."""
        return self.probabilities.T @ self.probabilities / len(self.probabilities)

    def sample(self, n: int, *, rng: np.random.Generator) -> list[Ints]:
        """The bins of n records in each column, a list of (n,).

        Components, and the bins of a column within a component, have about their expected numbers
        of records (systematic sampling), so that chance adds little to the distances of tables.
        """
        components = len(self.probabilities)
        drawn = ((np.arange(n) + uniform(1, rng)) * components / max(n, 1)).astype(np.int64)
        drawn = rng.permutation(components)[drawn % components]
        sizes = np.bincount(drawn, minlength=components)
        starts = (sizes.cumsum() - sizes)[drawn]
        found = [np.zeros(n, dtype=np.int64) for _ in self.blocks.sizes]
        for column, place in zip(found, self.blocks.of_columns, strict=True):
            # a random order of the records of each component
            order = np.lexsort((rng.permutation(n), drawn))
            ranks = np.arange(n) - starts[order]
            level = (ranks + uniform(n, rng)) / sizes[drawn[order]]
            upper = self.probabilities[:, place].cumsum(axis=1)[drawn[order], :-1]
            column[order] = (level[:, None] > upper).sum(axis=1)
        shuffled = rng.permutation(n)
        return [column[shuffled] for column in found]


class MixtureFit:
    """A mixture that is fitted to measured tables, again after every further measurement.

    Args:
        shares: the shares of the bins of each column.
        components: the number of components.
        rng: the source of the first components.
    """

    def __init__(self, shares: Sequence[Floats], components: int, rng: np.random.Generator) -> None:
        self.blocks = Blocks(tuple(map(len, shares)))
        self.shares = np.concatenate(shares)  # (bins,)
        start = np.log(np.maximum(self.shares, SMALLEST))
        around = uniform(components * len(start), rng).reshape(components, -1) - 0.5
        self.odds = start + SPREAD * around

    @property
    def independent(self) -> Floats:
        """The expected shares of all pairs of bins of independent columns, (bins, bins)."""
        return np.outer(self.shares, self.shares)

    def mixture(self) -> ProductMixture:
        """The mixture at present."""
        probabilities = np.exp(self.odds - self.odds.max(axis=1, keepdims=True))
        for place in self.blocks.of_columns:
            block = self.odds[:, place]
            block = np.exp(block - block.max(axis=1, keepdims=True))
            probabilities[:, place] = block / block.sum(axis=1, keepdims=True)
        return ProductMixture(self.blocks, probabilities)

    def fit(self, measured: Mapping[Pair, Measured], steps: int) -> ProductMixture:
        """The mixture after further steps towards the measured tables.

        Pairs that are not measured are drawn weakly towards independence.
        """
        target, precision = self._targets(measured)
        first, second = np.zeros_like(self.odds), np.zeros_like(self.odds)
        for step in range(1, steps + 1):
            mixture = self.mixture()
            slope = mixture.probabilities @ (precision * (mixture.tables - target))
            gradient = self._of_odds(mixture.probabilities, slope)
            first += (1 - DECAYS[0]) * (gradient - first)
            second += (1 - DECAYS[1]) * (gradient**2 - second)
            scale = np.sqrt(second / (1 - DECAYS[1] ** step)) + np.finfo(float).tiny
            rate = RATE * np.sqrt(1 - (step - 1) / steps) / (1 - DECAYS[0] ** step)
            self.odds = self.odds - rate * first / scale
        return self.mixture()

    def _targets(self, measured: Mapping[Pair, Measured]) -> tuple[Floats, Floats]:
        """The target of each entry of the tables, and its precision."""
        target = self.independent
        mean = np.mean([found.precision for found in measured.values()])
        precision = np.full_like(target, WEAK * mean)
        places = self.blocks.of_columns
        for place in places:  # a column says nothing about pairs of its own bins
            precision[place, place] = 0.0
        for (i, j), found in measured.items():
            for rows, columns, table in (
                (places[i], places[j], found.shares),
                (places[j], places[i], found.shares.T),
            ):
                target[rows, columns] = table
                precision[rows, columns] = found.precision
        return target, precision

    def _of_odds(self, probabilities: Floats, slope: Floats) -> Floats:
        """The gradient by the log-odds, from that by the probabilities."""
        found = probabilities * slope
        for place in self.blocks.of_columns:
            mean = found[:, place].sum(axis=1, keepdims=True)
            found[:, place] -= probabilities[:, place] * mean
        return found
