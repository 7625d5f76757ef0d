"""Generalised singular value decomposition (GSVD) of the adjacency matrix of a graph.

Let A (n, n) be the adjacency matrix and r the regularisation. An edge of weight r / n is added
between all pairs of nodes, also from a node to itself: A + (r / n) 1 1'. Let D be the diagonal
matrix of its row sums, which are degree + r, and a and b the powers of the rows and of the columns.
The singular value decomposition D^-a (A + (r / n) 1 1') D^-b = U S V' is truncated to the k largest
singular values. The node vectors are the rows of D^-a U S, scaled to length 1.

Without regularisation each component of the graph has the singular value 1, and twice if it has no
cycle of odd length. With k such components, the k vectors tell components apart and nothing else.
By default r is 1, the weight of one edge, which joins all components.

The iteration is our own, because graphs with equal components have equal singular values. Of these
the Lanczos iteration of SciPy (svds, at least ten times as fast) finds only some: on Cora, without
regularisation, one of 100 values is 0.085 too small. Repeated on what is orthogonal to the vectors
found, it finds all, takes as long as ours there, and ends with an error of ARPACK on 300 triangles.

Source: Abdi 2007, "Singular value decomposition (SVD) and generalized singular value
decomposition"; Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network), whose documentation of
GSVD has these formulas, with the powers 1/2 as the default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import Count, NotNegativeFinite, Share, check_fields
from dpfair_cli.kinds.graphs import Graph

DENSE_NODES = 200  # up to this number of nodes all singular vectors are computed
SPARE = 16  # vectors beyond those that are wanted, which speed up the iteration
DEGREE = 3  # largest power of B in a round
MOST_ROUNDS = 100
PRECISION = 1e-6  # largest residual of a vector, as a share of the largest eigenvalue of B
SMALL = 1e-9  # singular values below this share of the largest one count as 0


@dataclass(frozen=True)
class SingularSettings:
    """The settings of a generalised singular value decomposition."""

    dimension: Count = 100
    """k, the dimension of the vectors; columns beyond the rank of the matrix are 0."""
    regularisation: NotNegativeFinite = 1.0
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
    `rng` chooses the starting vectors of the iteration and changes the result within its precision.
    """
    n, k = graph.nodes, min(settings.dimension, graph.nodes)
    weights = np.asarray(graph.degrees + settings.regularisation, dtype=float)  # (n,)
    rows, columns = (
        _powers(weights, power) for power in (settings.row_power, settings.column_power)
    )
    matrix = _Normalised(graph, rows, columns, settings.regularisation / n)
    U, S = _largest(matrix, k, rng)  # (n, k), (k,)
    vectors = np.zeros((n, settings.dimension))
    vectors[:, :k] = rows[:, None] * U * S
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    seen = lengths > SMALL * lengths.max(initial=0)
    return np.asarray(np.divide(vectors, lengths, out=np.zeros_like(vectors), where=seen))


def _powers(weights: Floats, power: float) -> Floats:
    """The weights to the power -power, and 0 for the weight 0, (n,)."""
    seen = weights > 0
    return np.where(seen, np.where(seen, weights, 1.0) ** -power, 0.0)


class _Normalised:
    """The matrix diag(rows) (A + added 1 1') diag(columns), whose dense part is never stored."""

    def __init__(self, graph: Graph, rows: Floats, columns: Floats, added: float) -> None:
        i, j = np.concatenate([graph.edges, graph.edges[:, ::-1]]).T
        shape = (graph.nodes, graph.nodes)
        self.nodes, self._rows, self._columns, self._added = graph.nodes, rows, columns, added
        self._sparse = csr_matrix((rows[i] * columns[j], (i, j)), shape=shape)
        self._turned = self._sparse.T.tocsr()

    def times(self, X: Floats) -> Floats:
        """The product with X (n, m)."""
        return np.asarray(self._sparse @ X + self._added * np.outer(self._rows, self._columns @ X))

    def transpose_times(self, X: Floats) -> Floats:
        """The product of the transpose with X (n, m)."""
        return np.asarray(self._turned @ X + self._added * np.outer(self._columns, self._rows @ X))


def _largest(matrix: _Normalised, k: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The k largest singular values (k,), in descending order, and their left vectors (n, k).

    Block Krylov iteration with restarts. Let B be the matrix times its transpose and X the vectors
    of the last round. A round finds the best vectors in the span of X, B X, B^2 X and B^3 X. The
    sign of a vector makes its entry of largest size positive.

    Source: Musco and Musco 2015, Algorithm 2, repeated.
    """
    n, width = matrix.nodes, k + SPARE
    if n <= max(DENSE_NODES, (DEGREE + 1) * width):
        U, S, _ = np.linalg.svd(matrix.times(np.eye(n)))
        return _without_noise(U[:, :k], S[:k])
    X = np.linalg.qr(rng.normal(size=(n, width)))[0]
    for _ in range(MOST_ROUNDS):
        X, S = _round(matrix, X)
        top, values = X[:, :k], S[:k]
        rest = matrix.times(matrix.transpose_times(top)) - top * values**2
        if np.linalg.norm(rest, axis=0).max() <= PRECISION * values[0] ** 2:
            break
    return _without_noise(top, values)


def _round(matrix: _Normalised, X: Floats) -> tuple[Floats, Floats]:
    """The best left vectors, as many as those of X (n, m), and their singular values (m,)."""
    blocks = [X]
    for _ in range(DEGREE):
        power = matrix.times(matrix.transpose_times(blocks[-1]))
        blocks.append(np.linalg.qr(power)[0])
    basis = np.linalg.qr(np.hstack(blocks))[0]  # (n, (DEGREE + 1) m)
    _, small = np.linalg.qr(matrix.transpose_times(basis))  # basis' matrix = small' q'
    U, S, _ = np.linalg.svd(small.T)
    return basis @ U[:, : X.shape[1]], S[: X.shape[1]]


def _without_noise(U: Floats, S: Floats) -> tuple[Floats, Floats]:
    """The vectors with a fixed sign, and the values without those that are rounding errors."""
    values = np.where(SMALL * S.max(initial=0) < S, S, 0.0)
    return U * np.sign(U[np.abs(U).argmax(axis=0), np.arange(len(S))]), values
