"""Logistic regression as a quadratic: the truncated objective, its coefficients, its minimisers.

The log-likelihood loss, expanded to degree two at w = 0, is f(w) = linear'w + w' square w with
linear = X'(1/2 - y) and square = X'X / 8 (xu2021, Equations 3.10-3.12).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Layout

# eigenvalues below this are deleted with their directions (Zhang et al. 2012, section 6.2; their
# code)
SMALLEST_EIGENVALUE = 1e-8


@dataclass(frozen=True, eq=False)
class Quadratic:
    """f(w) = linear'w + w' square w, with linear (d,) and square (d, d) symmetric."""

    linear: Floats
    square: Floats

    def coefficients(self, layout: Layout) -> Floats:
        """The coefficients that a mechanism perturbs.

        "monomials": one for each w_j, w_j^2 and w_j w_k, j < k (ding2020's set of products), (d + d
        (d + 1) / 2,); "entries": one for each w_j and each ordered pair (xu2021's Phi_2), (d +
        d^2,).
        """
        if layout == "entries":
            return np.concatenate([self.linear, self.square.ravel()])
        rows, columns = np.triu_indices(len(self.linear))
        return np.concatenate(
            [self.linear, self.square[rows, columns] * np.where(rows == columns, 1, 2)]
        )

    @staticmethod
    def from_coefficients(coefficients: Floats, d: int, layout: Layout) -> Quadratic:
        """The quadratic with these coefficients; pairs given twice are averaged."""
        linear, pairs = coefficients[:d], coefficients[d:]
        square = np.zeros((d, d))
        if layout == "entries":
            square[:] = pairs.reshape(d, d)
        else:
            square[np.triu_indices(d)] = pairs
        return Quadratic(linear, (square + square.T) / 2)

    def with_ridge(self, ridge: float | Floats) -> Quadratic:
        """Add `ridge` (a number, or one for each direction) to the diagonal."""
        return Quadratic(
            self.linear, self.square + np.diag(np.broadcast_to(ridge, self.linear.shape))
        )


@once_per_records
def bounded(records: Records, *, bound: Bound) -> Floats:
    """X with every record moved inside the bound of the sensitivities: [0, 1]^d, and norm at most 1
    for "ball".
    """
    X = np.clip(records.X, 0.0, 1.0)
    if bound == "ball":
        X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)
    return X


@once_per_records
def logistic_polynomial(records: Records, *, bound: Bound = "box") -> Quadratic:
    """The truncated logistic objective of `records`."""
    X = bounded(records, bound=bound)
    return Quadratic(X.T @ (0.5 - records.y), X.T @ X / 8)


def minimise(quadratic: Quadratic) -> Floats:
    """The weights with the least f, (d,); directions in which f is not clearly convex get weight 0."""
    return minimise_with_penalty(quadratic, np.zeros_like(quadratic.linear), 0.0)


def minimise_with_penalty(quadratic: Quadratic, g: Floats, alpha: float) -> Floats:
    """The weights with the least f(w) + alpha |g'w|, (d,).

    The minimiser is that of f(w) + m g'w for one multiplier m in [-alpha, alpha]: the one that
    makes g'w zero, or the nearest end of the interval.
    """
    values, vectors = np.linalg.eigh(quadratic.square)
    kept = values > SMALLEST_EIGENVALUE
    vectors, values = vectors[:, kept], values[kept]
    free = -vectors.T @ quadratic.linear / (2 * values)  # the minimiser of f, in eigenvectors
    pull = vectors.T @ g / (2 * values)  # how far one unit of multiplier moves it
    slope = g @ (vectors @ pull)
    multiplier = np.clip(g @ (vectors @ free) / slope, -alpha, alpha) if slope > 0 else 0.0
    weights: Floats = vectors @ (free - multiplier * pull)
    return weights
