"""Factorisation of M as W H' by alternating ridge regressions: node vectors W, context vectors H.

W and H are (n, k). The objective is ||M - W H'||^2 + r (||W||^2 + ||H||^2) (xu2021, Equation 5.4
with lambda = mu = r). Given one factor, the other factor has a closed form; a sweep solves for both
factors. A few sweeps find the column space of H. Sweeps find the best basis of this space only
slowly, but this basis has a closed form: with the singular values s of M in the space, H' H is
diagonal with the entries (s - r)_+. At the end H is divided by the norm of its longest row, because
the privacy of DPNE needs rows of norm at most 1, and W is the ridge solution given this H.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import Count, PositiveFinite
from dpfair_cli.kinds.graphs import Graph

TIE = 1e-6  # relative difference below which two entries count as equal
STEPS = 2**52  # random entries are integers in [-STEPS, STEPS], rescaled
SWEEPS = 10  # the objective is then 0.5 % above its least value on the graphs of xu2021
MOST_NODES = 20_000  # largest number of nodes for M as an array of 3.2 GB


@dataclass(frozen=True, eq=False)
class Walks:
    """The walk matrix M = (P + P^2) / 2 of a graph, on which DeepWalk with window 2 is based.

    P has the transition probabilities of a random walk, and M[i, j] is the mean of the
    probabilities of being at j after one and after two steps from i (xu2021, Section 5.5). The row
    of a node without an edge is 0.
    """

    transition: Any  # P, or its transpose, as a sparse array (n, n)

    def __matmul__(self, X: Floats) -> Floats:
        # two products with X, because P^2 of a graph with hubs is nearly dense
        step = self.transition @ X
        return np.asarray((step + self.transition @ step) / 2)

    @cached_property
    def T(self) -> Walks:  # noqa: N802 (as of an array)
        """The transpose of the walk matrix."""
        return Walks(self.transition.T.tocsr())

    def dense(self) -> Floats:
        """The walk matrix as an array, (n, n), for noise on each of its entries."""
        P = self.transition
        return np.asarray(((P + P @ P) / 2).toarray())


@once_per_records
def walks_of(graph: Graph) -> Walks:
    """The walk matrix of a graph, cached for the graph because it is the same for every epsilon."""
    i, j = graph.edges.T
    # each edge in both directions, since an edge is stored once
    rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
    weights, shape = 1 / graph.degrees[rows], (graph.nodes, graph.nodes)
    return Walks(sparse.csr_array((weights, (rows, columns)), shape=shape))


def require_all_pairs(nodes: int) -> None:
    """Refuses a graph that is too large for noise on each pair of nodes."""
    if nodes > MOST_NODES:
        raise ValueError(
            f"a method with noise on every pair of nodes needs a graph with at most "
            f"{MOST_NODES:,} nodes to fit into memory, got {nodes:,} nodes"
        )


@dataclass(frozen=True)
class FactorSettings:
    """The settings of a factorisation.

    If the dimension is larger than the rank of M, the other columns of an embedding without privacy
    are 0.
    """

    dimension: Count = 100
    """k, the dimension of the vectors."""
    regularisation: PositiveFinite = 0.001
    """r, the ridge penalty of both factors."""


DEFAULT_FACTORS = FactorSettings()


class Factors(NamedTuple):
    """Node vectors and context vectors."""

    W: Floats  # node vectors, (n, k)
    H: Floats  # context vectors, (n, k), with diagonal H' H and rows of norm at most 1


def factorise_walks(graph: Graph, settings: FactorSettings, *, rng: np.random.Generator) -> Factors:
    """The node vectors W and context vectors H of the walk matrix M of a graph: M is about W H'.

    The factorisation has a random start. The factors are cached for each graph and start, because
    they do not depend on epsilon.
    """
    start = random_rows(graph.nodes, settings.dimension, rng=rng)
    return _solved_once(graph, settings, start.tobytes())


@once_per_records
def _solved_once(graph: Graph, settings: FactorSettings, start: bytes) -> Factors:
    rows = np.frombuffer(start).reshape(-1, settings.dimension)
    return factorise(walks_of(graph), rows, regularisation=settings.regularisation)


def factorise(matrix: Walks | Floats, start: Floats, *, regularisation: float) -> Factors:
    """The factors W and H of a matrix M, such that W H' is near M."""
    H = start
    for _ in range(SWEEPS):
        W = _ridge(matrix @ H, H, regularisation)  # (n, k)
        H = _ridge(matrix.T @ W, W, regularisation)  # (n, k)
    H = _normalised(_best_basis(matrix, H, regularisation))
    W = ridge_by_axes(matrix @ H, squared_lengths(H), regularisation)
    return _read_only(W, H)


def random_rows(n: int, k: int, *, rng: np.random.Generator) -> Floats:
    """Rows (n, k) of norm at most 1, with entries uniform between -1 / sqrt(k) and 1 / sqrt(k)."""
    integers = rng.integers(-STEPS, STEPS, size=(n, k), endpoint=True)
    return np.asarray(integers / (STEPS * np.sqrt(k)))


def squared_lengths(H: Floats) -> Floats:
    """The squared norms of the columns of H, (k,)."""
    return np.asarray(np.einsum("ij,ij->j", H, H))


def ridge_by_axes(product: Floats, lengths: Floats, regularisation: float) -> Floats:
    """The ridge regression W (n, k) of a matrix M on H, for a matrix H whose H' H is diagonal.

    `product` is M H, and `lengths` is the diagonal of H' H.
    """
    return np.asarray(product / (lengths + regularisation))


def _ridge(product: Floats, factor: Floats, regularisation: float) -> Floats:
    """The ridge regression X (n, k), the minimiser of ||A - X F'||^2 + r ||X||^2.

    `product` is A F, `factor` is F, and `regularisation` is r.
    """
    gram = factor.T @ factor + regularisation * np.eye(factor.shape[1])
    return np.asarray(np.linalg.solve(gram, product.T).T)


def _best_basis(matrix: Walks | Floats, H: Floats, regularisation: float) -> Floats:
    """The context vectors with the least objective among those with the column space of H.

    The objective is that of the factorisation of `matrix` M into W H', ||M - W H'||^2 + r (||W||^2
    + ||H||^2), where r is `regularisation`. The result G has a diagonal G' G.
    """
    basis, _ = np.linalg.qr(H)  # (n, k)
    _, values, axes = np.linalg.svd(matrix @ basis, full_matrices=False)
    return _with_positive_peaks(basis @ axes.T * np.sqrt(np.maximum(values - regularisation, 0.0)))


def along_its_axes(H: Floats) -> Floats:
    """H rotated so that H' H is diagonal, largest entry first."""
    _, axes = np.linalg.eigh(H.T @ H)  # ascending
    return _with_positive_peaks(H @ axes[:, ::-1])


def _with_positive_peaks(H: Floats) -> Floats:
    """H with signs of its columns such that the largest entry of each is positive.

    Of several entries of equal size the first one decides.
    """
    sizes = np.abs(H)
    first = (sizes >= (1 - TIE) * sizes.max(axis=0)).argmax(axis=0)
    peaks = H[first, np.arange(H.shape[1])]
    return np.asarray(H * np.where(peaks < 0, -1.0, 1.0))


def _normalised(H: Floats) -> Floats:
    """The matrix H divided by the norm of its longest row; H itself if all its rows are 0."""
    longest = np.linalg.norm(H, axis=1).max()
    return H / longest if longest > 0 else H


def _read_only(W: Floats, H: Floats) -> Factors:
    """Node vectors W and context vectors H as read-only arrays, because all callers share them."""
    W.flags.writeable = H.flags.writeable = False
    return Factors(W, H)
