"""Generalised singular value decomposition (GSVD) of the adjacency matrix of a graph.

Let A (n, n) be the adjacency matrix and r the regularisation. An edge of weight r / n is added
between all pairs of nodes, also from a node to itself: A + (r / n) 1 1'. Let D be the diagonal
matrix of its row sums, which are degree + r, and a and b the powers of the rows and of the columns.
The singular value decomposition D^-a (A + (r / n) 1 1') D^-b = U S V' is truncated to the k largest
singular values. The node vectors are the rows of D^-a U S, scaled to length 1.

Source: Abdi 2007, "Singular value decomposition (SVD) and generalized singular value
decomposition"; Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network), whose documentation of
GSVD has these formulas, with the powers 1/2 as the default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import LinearOperator, svds

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import Count, NotNegativeFinite, Share, check_fields
from dpfair_cli.kinds.graphs import Graph

DENSE_NODES = 200  # up to this number of nodes all singular vectors are computed
SMALL = 1e-9  # singular values below this share of the largest one count as 0


@dataclass(frozen=True)
class SingularSettings:
    """The settings of a generalised singular value decomposition."""

    dimension: Count = 100
    """k, the dimension of the vectors; columns beyond the rank of the matrix are 0."""
    regularisation: NotNegativeFinite = 0.0
    """r, the total weight of the edges that are added to each node."""
    row_power: Share = 0.5
    """a, the power by which the degrees of the rows are divided out."""
    column_power: Share = 0.5
    """b, the power by which the degrees of the columns are divided out."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_SINGULAR = SingularSettings()


def singular_vectors(
    graph: Graph, settings: SingularSettings, *, rng: np.random.Generator
) -> Floats:
    """The node vectors (n, k) of length 1, by the formulas of the module's docstring.

    A node whose row of the matrix is 0, or is orthogonal to all singular vectors, has the vector 0.
    `rng` chooses the starting vector of the iteration and changes the result within its precision.

    Raises:
        ValueError: the dimension is larger than the number of nodes.
    """
    n, k = graph.nodes, settings.dimension
    if k > n:
        raise ValueError(f"dimension must be at most the number of nodes, {n}, got {k}")
    weights = np.asarray(graph.degrees + settings.regularisation, dtype=float)  # (n,)
    rows, columns = (
        _powers(weights, power) for power in (settings.row_power, settings.column_power)
    )
    matrix = _Normalised(graph, rows, columns, settings.regularisation / n)
    U, S = _largest(matrix, k, rng)  # (n, k), (k,)
    vectors = rows[:, None] * U * S
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    seen = lengths > SMALL * lengths.max(initial=0)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=seen))


def _powers(weights: Floats, power: float) -> Floats:
    """The weights to the power -power, and 0 for the weight 0, (n,)."""
    seen = weights > 0
    return np.where(seen, np.where(seen, weights, 1.0) ** -power, 0.0)


class _Normalised(LinearOperator):  # type: ignore[misc]
    """The matrix diag(rows) (A + added 1 1') diag(columns), whose dense part is never stored."""

    def __init__(self, graph: Graph, rows: Floats, columns: Floats, added: float) -> None:
        i, j = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
        shape = (graph.nodes, graph.nodes)
        self.sparse = csr_matrix((rows[i] * columns[j], (i, j)), shape=shape)
        self.rows, self.columns, self.added = rows, columns, added
        super().__init__(np.dtype(float), shape)

    def _matmat(self, X: Floats) -> Floats:
        return np.asarray(self.sparse @ X + self.added * np.outer(self.rows, self.columns @ X))

    def _rmatmat(self, X: Floats) -> Floats:
        return np.asarray(self.sparse.T @ X + self.added * np.outer(self.columns, self.rows @ X))


def _largest(matrix: _Normalised, k: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The k largest singular values (k,), in descending order, and their left vectors (n, k).

    The sign of a vector makes its entry of largest size positive.
    """
    n = matrix.shape[0]
    start = rng.random(n)
    if n <= DENSE_NODES or 2 * k > n:
        U, S, _ = np.linalg.svd(matrix @ np.eye(n))
        U, S = U[:, :k], S[:k]
    elif not matrix.sparse.nnz and not matrix.added:
        return np.zeros((n, k)), np.zeros(k)
    else:
        U, S, _ = svds(matrix, k=k, v0=start)
        order = np.argsort(-S, kind="stable")
        U, S = U[:, order], S[order]
    S[SMALL * S.max(initial=0) > S] = 0.0
    return U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(k)]), S
