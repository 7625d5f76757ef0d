"""Logistic regression as a quadratic: the truncated objective, its coefficients, its minimisers.

The log-likelihood loss, expanded to degree two at w = 0, is f(w) = linear'w + w' square w with
linear = X'(1/2 - y) and square = X'X / 8 (xu2021, Equations 3.10-3.12).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Layout

# directions with smaller eigenvalues are deleted (Zhang et al. 2012, Section 6.2, and their code)
SMALLEST_EIGENVALUE = 1e-8


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The quadratic function f(w) = linear'w + w' square w."""

    linear: Floats  # the linear coefficients, (d,)
    square: Floats  # the quadratic coefficients, (d, d), symmetric

    def coefficients(self, layout: Layout) -> Floats:
        """The coefficients of a quadratic function of w to which a mechanism adds noise.

        With "monomials" there is one for each w_j, w_j^2 and w_j w_k with j < k (ding2020), (d + d
        (d + 1) / 2,); with "entries" one for each w_j and each ordered pair (Phi_2 of xu2021), (d +
        d^2,).
        """
        if layout == "entries":
            return np.concatenate([self.linear, self.square.ravel()])
        rows, columns = _pairs(len(self.linear))
        # w_j w_k and w_k w_j are one monomial with the sum of both entries
        products = self.square[rows, columns] * np.where(rows == columns, 1, 2)
        return np.concatenate([self.linear, products])

    @staticmethod
    def from_coefficients(coefficients: Floats, d: int, layout: Layout) -> Quadratic:
        """The quadratic function of d weights w that has the given coefficients.

        With the layout "entries", w_j w_k and w_k w_j have separate coefficients, which are
        averaged.
        """
        linear, pairs = coefficients[:d], coefficients[d:]
        square = np.zeros((d, d))
        if layout == "entries":
            square[:] = pairs.reshape(d, d)
        else:
            # off the diagonal, the mean with the transpose below halves the products
            square[_pairs(d)] = pairs
        return Quadratic(linear, (square + square.T) / 2)

    def with_ridge(self, ridge: float | Floats) -> Quadratic:
        """The same quadratic function with `ridge`, (d,) or one number, added to the diagonal."""
        added = np.diag(np.broadcast_to(ridge, self.linear.shape))
        return Quadratic(self.linear, self.square + added)


@cache
def _pairs(d: int) -> tuple[Ints, Ints]:
    """The indices j and k of all pairs of d weights with j <= k."""
    return np.triu_indices(d)


@once_per_records
def bounded(records: Records, *, bound: Bound) -> Floats:
    """The features X clipped to [0, 1]^d and, for "ball", scaled to norm at most 1, (n, d)."""
    inside = len(records) and 0.0 <= records.X.min() <= records.X.max() <= 1.0
    if bound == "box" and inside:
        return records.X  # of large data, no second copy
    X = np.clip(records.X, 0.0, 1.0)
    # after the clipping, because a record in the ball must be in the box as well
    if bound == "ball":
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return X


@once_per_records
def logistic_polynomial(
    records: Records | PartitionedRecords, *, bound: Bound = "box"
) -> Quadratic:
    """The truncated logistic loss of `records`, as a quadratic function of the weights."""
    sums = total(records, partial(_polynomial_sums, bound=bound))
    return Quadratic(sums[0], sums[1:])


def _polynomial_sums(records: Records, *, bound: Bound) -> Floats:
    """The linear coefficients, then the quadratic ones, of the truncated loss, (1 + d, d)."""
    X = bounded(records, bound=bound)
    # one array, so that partitions are added up in one sum
    return np.vstack([X.T @ (0.5 - records.y), X.T @ X / 8])


def minimise(quadratic: Quadratic) -> Floats:
    """The weights (d,) that minimise a quadratic function.

    The weights are 0 in directions in which the function is not clearly convex.
    """
    return minimise_with_penalty(quadratic, np.zeros_like(quadratic.linear), 0.0)


def minimise_with_penalty(quadratic: Quadratic, g: Floats, alpha: float) -> Floats:
    """The weights w that minimise f(w) + alpha |g'w| for a quadratic function f, (d,).

    They minimise f(w) + m g'w for the m in [-alpha, alpha] for which g'w is 0, or else the nearest
    end.
    """
    values, vectors = np.linalg.eigh(quadratic.square)
    # noise can make the function fall without end in some directions, which are left out
    kept = values > SMALLEST_EIGENVALUE
    vectors, values = vectors[:, kept], values[kept]
    free = -vectors.T @ quadratic.linear / (2 * values)  # the minimiser of f, in eigenvectors
    pull = vectors.T @ g / (2 * values)  # its change for one unit of the multiplier
    slope = g @ (vectors @ pull)
    multiplier = np.clip(g @ (vectors @ free) / slope, -alpha, alpha) if slope > 0 else 0.0
    weights: Floats = vectors @ (free - multiplier * pull)
    return weights
