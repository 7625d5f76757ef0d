"""M as a product W H' of node vectors W and context vectors H, both (n, k), by alternating ridge
solves.

The objective is ||M - W H'||^2 + r (||W||^2 + ||H||^2) (xu2021, Equation 5.4 with lambda = mu = r).
Given one factor, the other has a closed form; a sweep solves for both. What sweeps find soon is the
space of H, what they find slowly is its best basis, which is known: with the singular values s of M
in that space, H' H = (s - r)_+ on the diagonal. At the end H is divided by the norm of its longest
row (the privacy of DPNE asks for rows of norm 1 at most), and W is the ridge solution given that H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import Count, PositiveFinite
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding.walks import Matrix, Walks

TIE = 1e-6  # entries that rounding alone may tell apart
STEPS = 2**52  # of an entry on each side of 0
SWEEPS = (
    10  # the objective is then within half a percent of its least value on the graphs of xu2021
)


@dataclass(frozen=True)
class FactorSettings:
    """The `dimension` k of the vectors, and the `regularisation` r of both factors.

    Beyond the rank of M the columns of a public embedding are 0.
    """

    dimension: Count = 100
    regularisation: PositiveFinite = 0.001


DEFAULT_FACTORS = FactorSettings()


class Factors(NamedTuple):
    """Node vectors W (n, k) and context vectors H (n, k), with H' H diagonal and no row of H longer
    than 1.
    """

    W: Floats
    H: Floats


@once_per_records
def walks_of(graph: Graph) -> Walks:
    """The walk matrix of a graph, made once: nothing in it depends on a budget."""
    return Walks(graph)


def factorise_walks(graph: Graph, settings: FactorSettings, *, rng: np.random.Generator) -> Factors:
    """The factors of a graph's M, solved once for a graph and a start: nothing in them depends on a
    budget.
    """
    return _solved_once(
        graph, settings, random_rows(graph.nodes, settings.dimension, rng=rng).tobytes()
    )


@once_per_records
def _solved_once(graph: Graph, settings: FactorSettings, start: bytes) -> Factors:
    rows = np.frombuffer(start).reshape(-1, settings.dimension)
    return factorise(walks_of(graph), rows, regularisation=settings.regularisation)


def factorise(matrix: Matrix, start: Floats, *, regularisation: float) -> Factors:
    """The factors of a matrix after SWEEPS alternating ridge solves from context vectors `start`
    (n, k).
    """
    H = start
    for _ in range(SWEEPS):
        W = _ridge(matrix.times(H), H, regularisation)  # (n, k)
        H = _ridge(matrix.transposed_times(W), W, regularisation)  # (n, k)
    H = _normalised(_best_in_its_space(matrix, H, regularisation))
    W = ridge_by_axes(matrix.times(H), squared_lengths(H), regularisation)
    return _read_only(W, H)


def random_rows(n: int, k: int, *, rng: np.random.Generator) -> Floats:
    """Rows of norm 1 at most, with entries uniform between - 1 / sqrt(k) and 1 / sqrt(k), (n, k)."""
    return np.asarray(
        rng.integers(-STEPS, STEPS, size=(n, k), endpoint=True) / (STEPS * np.sqrt(k))
    )


def squared_lengths(H: Floats) -> Floats:
    """The diagonal of H' H, (k,)."""
    return np.asarray(np.einsum("ij,ij->j", H, H))


def ridge_by_axes(product: Floats, lengths: Floats, regularisation: float) -> Floats:
    """The ridge solution for `product` = M H where H' H is diagonal with these `lengths`, (n, k)."""
    return np.asarray(product / (lengths + regularisation))


def _ridge(product: Floats, factor: Floats, regularisation: float) -> Floats:
    """The minimiser X of ||A - X F'||^2 + r ||X||^2 for `product` = A F, (n, k)."""
    gram = factor.T @ factor + regularisation * np.eye(factor.shape[1])
    return np.asarray(np.linalg.solve(gram, product.T).T)


def _best_in_its_space(matrix: Matrix, H: Floats, regularisation: float) -> Floats:
    """The H of the least objective among those whose columns lie in the space of these; H' H is
    diagonal.
    """
    basis, _ = np.linalg.qr(H)  # (n, k)
    _, values, axes = np.linalg.svd(matrix.times(basis), full_matrices=False)
    return _with_positive_peaks(basis @ axes.T * np.sqrt(np.maximum(values - regularisation, 0.0)))


def along_its_axes(H: Floats) -> Floats:
    """H turned so that H' H is diagonal, largest first."""
    _, axes = np.linalg.eigh(H.T @ H)  # ascending
    return _with_positive_peaks(H @ axes[:, ::-1])


def _with_positive_peaks(H: Floats) -> Floats:
    """H with the sign of each column such that its largest entry, the first of equals, is positive."""
    sizes = np.abs(H)
    first = (sizes >= (1 - TIE) * sizes.max(axis=0)).argmax(axis=0)
    peaks = H[first, np.arange(H.shape[1])]
    return np.asarray(H * np.where(peaks < 0, -1.0, 1.0))


def _normalised(H: Floats) -> Floats:
    """H divided by the norm of its longest row; nothing to divide by in a graph without edges."""
    longest = np.linalg.norm(H, axis=1).max()
    return H / longest if longest > 0 else H


def _read_only(W: Floats, H: Floats) -> Factors:
    """The factors, shared by all who ask for them."""
    W.flags.writeable = H.flags.writeable = False
    return Factors(W, H)
