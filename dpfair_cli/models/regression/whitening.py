"""Whitening: linear maps after which inputs have about the second moment of the identity."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def lower_triangle(matrix: Floats) -> Floats:
    """The entries of a symmetric matrix (p, p) on and below its diagonal, (p (p + 1) / 2,)."""
    return matrix[np.tril_indices(len(matrix))]


def symmetric(triangle: Floats, p: int) -> Floats:
    """The symmetric matrix (p, p) whose entries on and below the diagonal are `triangle`."""
    matrix = np.zeros((p, p))
    matrix[np.tril_indices(p)] = triangle
    return matrix + np.tril(matrix, -1).T


def whitening(moment: Floats, smallest: float) -> Floats:
    """The matrix P (p, p) such that P' M P is the identity for the second moment M = `moment`.

    Eigenvalues of M below `smallest` count as `smallest`, so that directions in which M is noise
    are not stretched.
    """
    eigenvalues, directions = np.linalg.eigh(moment)
    return np.asarray(directions / np.sqrt(np.maximum(eigenvalues, smallest)))
