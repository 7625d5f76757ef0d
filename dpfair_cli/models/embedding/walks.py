"""The walk matrix M = (P + P^2) / 2 of a graph, on which DeepWalk with window 2 is based.

Source: xu2021, Section 5.5. P has the transition probabilities of a random walk. M[i, j] is the
mean of the probabilities of being at j after one and after two steps from i. Products with M are
computed as two products with the sparse matrix P. Only a private method that adds noise to each
entry needs M as an array.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.graphs import Graph

MOST_NODES = 20_000  # largest number of nodes for M as an array of 3.2 GB


class Matrix(Protocol):
    """A square matrix (n, n), given by its products with other matrices."""

    @property
    def size(self) -> int:
        """The number n of rows of the matrix, which is also the number of columns."""
        ...

    def times(self, X: Floats) -> Floats:
        """The product (n, k) of the matrix (n, n) and X (n, k)."""
        ...

    def transposed_times(self, X: Floats) -> Floats:
        """The product (n, k) of the transpose of the matrix (n, n) and X (n, k)."""
        ...


class Walks:
    """The walk matrix M of a graph; the row of a node without an edge is 0.

    The object keeps no reference to the graph.
    """

    def __init__(self, graph: Graph) -> None:
        i, j = graph.edges.T
        # each edge in both directions, since an edge is stored once
        rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
        weights = 1 / graph.degrees[rows]  # the transition matrix P, (n, n)
        shape = (graph.nodes, graph.nodes)
        self.transition: Any = sparse.csr_array((weights, (rows, columns)), shape=shape)

    @property
    def size(self) -> int:
        """The number n of nodes of the graph, which is the number of rows of the walk matrix."""
        return int(self.transition.shape[0])

    @cached_property
    def _transposed(self) -> Any:
        return self.transition.T.tocsr()

    def times(self, X: Floats) -> Floats:
        """The product (n, k) of the walk matrix and X (n, k)."""
        return np.asarray(_mean_of_two_steps(self.transition, X))

    def transposed_times(self, X: Floats) -> Floats:
        """The product (n, k) of the transpose of the walk matrix and X (n, k)."""
        return np.asarray(_mean_of_two_steps(self._transposed, X))

    def dense(self) -> Floats:
        """The walk matrix as an array, (n, n)."""
        P = self.transition
        return np.asarray(((P + P @ P) / 2).toarray())


class DenseMatrix:
    """An (n, n) matrix that is stored as an array."""

    def __init__(self, values: Floats) -> None:
        self.values = values

    @property
    def size(self) -> int:
        """The number n of rows of the matrix, which is also the number of columns."""
        return len(self.values)

    def times(self, X: Floats) -> Floats:
        """The product (n, k) of the matrix (n, n) and X (n, k)."""
        return np.asarray(self.values @ X)

    def transposed_times(self, X: Floats) -> Floats:
        """The product (n, k) of the transpose of the matrix (n, n) and X (n, k)."""
        return np.asarray(self.values.T @ X)


def _mean_of_two_steps(transition: Any, X: Any) -> Any:
    # two products with X, because P^2 of a graph with hubs is nearly dense
    step = transition @ X
    return (step + transition @ step) / 2


def require_all_pairs(nodes: int) -> None:
    """Refuses a graph that is too large for noise on each pair of nodes."""
    if nodes > MOST_NODES:
        raise ValueError(
            f"a method with noise on every pair of nodes needs a graph with at most "
            f"{MOST_NODES:,} nodes to fit into memory, got {nodes:,} nodes"
        )
