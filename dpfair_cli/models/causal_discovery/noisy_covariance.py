"""A correlation matrix from a noisy covariance matrix that is given by its lower triangle."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats

SMALLEST = 1e-6  # smaller eigenvalues are raised to this multiple of the largest; our choice


def lower_triangle(matrix: Floats) -> Floats:
    """The entries i >= j of a symmetric matrix (p, p), row by row, (p (p + 1) / 2,)."""
    return matrix[np.tril_indices(len(matrix))]


def symmetric(triangle: Floats, p: int) -> Floats:
    """The symmetric matrix (p, p) with this lower triangle."""
    matrix = np.zeros((p, p))
    matrix[np.tril_indices(p)] = triangle
    return np.asarray(matrix + np.tril(matrix, -1).T)


def rescaled(covariance: Floats) -> Floats:
    """The noisy correlation matrix (p, p).

    Correlations may exceed 1, and are 0 for a variable with a variance of at most 0.
    """
    variances = np.diag(covariance)
    spread = np.sqrt(np.where(variances > 0, variances, np.inf))
    correlation = covariance / np.outer(spread, spread)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def repaired_correlation(covariance: Floats) -> Floats:
    """The correlation matrix (p, p) of a covariance whose too small eigenvalues are raised first.

    A matrix that needs no repair is only rescaled.
    """
    values, vectors = np.linalg.eigh(covariance)
    least = max(SMALLEST * float(values[-1]), np.finfo(float).tiny)
    if values[0] < least:
        covariance = (vectors * np.maximum(values, least)) @ vectors.T
    spread = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(spread, spread)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
