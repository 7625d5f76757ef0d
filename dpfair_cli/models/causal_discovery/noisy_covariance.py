"""Correlation matrices from noisy covariance matrices."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats

SMALLEST = 1e-6  # eigenvalues below this multiple of the largest are raised to it; our choice


def lower_triangle(matrix: Floats) -> Floats:
    """The entries i >= j of a symmetric matrix (p, p), row by row, (p (p + 1) / 2,)."""
    return matrix[np.tril_indices(len(matrix))]


def symmetric(triangle: Floats, p: int) -> Floats:
    """The symmetric matrix (p, p) with the lower triangle `triangle`."""
    matrix = np.zeros((p, p))
    matrix[np.tril_indices(p)] = triangle
    return np.asarray(matrix + np.tril(matrix, -1).T)


def rescaled(covariance: Floats) -> Floats:
    """The correlation matrix (p, p) of a noisy covariance matrix, without repair.

    Correlations may exceed 1. They are 0 for a variable whose noisy variance is at most 0.
    """
    variances = np.diag(covariance)
    spread = np.sqrt(np.where(variances > 0, variances, np.inf))
    correlation = covariance / np.outer(spread, spread)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def repaired_correlation(covariance: Floats) -> Floats:
    """The correlation matrix (p, p) of a noisy covariance matrix whose eigenvalues are repaired.

    Too small eigenvalues are raised first. A matrix without such eigenvalues is only rescaled.
    """
    values, vectors = np.linalg.eigh(covariance)
    least = max(SMALLEST * float(values[-1]), np.finfo(float).tiny)
    if values[0] < least:
        covariance = (vectors * np.maximum(values, least)) @ vectors.T
    spread = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(spread, spread)
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)
