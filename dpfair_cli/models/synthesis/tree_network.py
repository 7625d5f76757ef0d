"""A Bayesian network whose variables form a tree, with one variable, the label, as a second parent
of all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.variables import Observations


@dataclass(frozen=True, eq=False)
class TreeNetwork(NotSaved):
    """Label and root have the joint probabilities `joint` (levels of the label, levels of the
    root).

    Edge k = (child, parent) of the tree has `conditionals[k]`, P(child | label, parent), (levels of
    the label, levels of the parent, levels of the child); the edges are in an order in which a
    parent comes before its children.
    """

    names: tuple[str, ...]
    levels: tuple[int, ...]
    label: int
    root: int
    edges: tuple[tuple[int, int], ...]
    joint: Floats
    conditionals: tuple[Floats, ...]

    def sample(self, n: int, *, rng: np.random.Generator) -> Observations:
        """Draw n new records, variable by variable down the tree."""
        values = np.zeros((n, len(self.names)), dtype=np.int64)
        cells = rng.choice(self.joint.size, size=n, p=self.joint.ravel())
        values[:, self.label], values[:, self.root] = np.unravel_index(cells, self.joint.shape)
        for (child, parent), probabilities in zip(self.edges, self.conditionals, strict=True):
            upper = probabilities.cumsum(axis=-1)[
                values[:, self.label], values[:, parent], :-1
            ]  # (n, levels - 1)
            values[:, child] = (rng.random((n, 1)) > upper).sum(axis=1)
        return Observations(values, self.names, self.levels)


def dependence(table: Floats) -> float:
    """L1 distance between the counts (a, b) of two variables and the product of their marginals
    over n.
    """
    product = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(np.abs(table - product).sum())


def shares(counts: Floats) -> Floats:
    """Counts as shares of their sum along the last axis; equal shares where nothing was counted."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[-1])
