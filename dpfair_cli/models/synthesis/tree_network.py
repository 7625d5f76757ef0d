"""A tree-augmented Bayesian network: a tree of variables, with the label as a parent of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.variables import Observations


@dataclass(frozen=True, eq=False)
class TreeNetwork(NotSaved):
    """The tables of a tree-augmented network of discrete variables."""

    names: tuple[str, ...]  # the names of the variables, in the order of their indices
    levels: tuple[int, ...]  # the number of levels of each variable
    label: int  # the index of the variable that is a parent of all others
    root: int  # the index of the root of the tree
    # the (child, parent) of each edge; a parent comes before its children
    edges: tuple[tuple[int, int], ...]
    joint: Floats  # P(label, root), (levels of the label, levels of the root)
    # P(child | label, parent) of each edge, (levels of label, of parent, of child)
    conditionals: tuple[Floats, ...]

    def sample(self, n: int, *, rng: np.random.Generator) -> Observations:
        """A sample of n records from the network, drawn variable by variable down the tree."""
        values = np.zeros((n, len(self.names)), dtype=np.int64)
        cells = rng.choice(self.joint.size, size=n, p=self.joint.ravel())
        values[:, self.label], values[:, self.root] = np.unravel_index(cells, self.joint.shape)
        for (child, parent), probabilities in zip(self.edges, self.conditionals, strict=True):
            cumulative = probabilities.cumsum(axis=-1)  # (labels, levels of parent, levels)
            upper = cumulative[values[:, self.label], values[:, parent], :-1]  # (n, levels - 1)
            values[:, child] = (rng.random((n, 1)) > upper).sum(axis=1)
        return Observations(values, self.names, self.levels)


def dependence(table: Floats) -> float:
    """The L1 distance between the counts of two variables and the product of their marginals.

    `table` has the shape (levels of one variable, levels of the other).
    """
    product = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.abs(table - product).sum())


def shares(counts: Floats) -> Floats:
    """The counts divided by their sums along the last axis; equal shares if a sum is 0."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[-1])
