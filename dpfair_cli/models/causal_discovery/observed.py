"""Checks of observed variables, and correlation matrices, exact or from noisy covariances."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.causal_discovery.contingency import counted

HEAD = 64  # records that show of most variables that they are not constant
TWINS = 1e-15  # rounding error of 1 - |correlation| for a variable and a copy of it
# a smallest eigenvalue of the correlation matrix, which is the square of a singular value; its
# rounding error is far smaller
CLEARLY_DISTINCT = 1e-6
DEPENDENT = 1e-12  # columns of norm 1 with a smaller singular value are linearly dependent
SMALLEST = 1e-6  # eigenvalues below this multiple of the largest are raised to it; our choice


@once_per_records
def correlation(observations: Observations) -> Floats:
    """The correlation matrix (p, p) of numeric variables, none of which is constant."""
    return np.asarray(np.corrcoef(observations.values, rowvar=False))


def require_distinct(observations: Observations) -> None:
    """Refuses observations from which no graph can be found.

    Raises:
        ValueError: there are not more records than variables, or a variable is constant, a copy of
            another one or, of numeric variables, a weighted sum of others.
    """
    n, p = observations.values.shape
    if p < 2 or n <= p:
        raise ValueError(
            "causal discovery needs at least two variables and more records than variables, "
            f"got {n} records of {p} variables"
        )
    values = observations.values
    constant_at_first = (values[:HEAD] == values[0]).all(axis=0)  # (p,)
    for j in constant_at_first.nonzero()[0].tolist():
        if np.ptp(values[:, j]) == 0:
            raise ValueError(
                f"variable {observations.names[j]!r} has the same value in all {n} records: "
                "delete the variable"
            )
    if observations.categorical:
        _require_no_copy(observations)
    else:
        _require_full_rank(observations)


def _require_no_copy(observations: Observations) -> None:
    """Refuses two categorical variables whose values correspond one to one.

    Only variables whose values occur equally often can be copies of each other.
    """
    seen: dict[bytes, str] = {}
    backwards = np.arange(len(observations))[::-1]
    columns = counted(observations).columns
    counts = [np.bincount(column) for column in columns]
    frequencies = [tuple(sorted(found[found > 0].tolist())) for found in counts]
    number = Counter(frequencies)
    for k, (name, levels) in enumerate(zip(observations.names, observations.levels, strict=True)):
        if number[frequencies[k]] == 1:
            continue
        column = columns[k]
        first = np.empty(levels, dtype=np.int64)
        first[column[backwards]] = backwards  # the first record with a value is written last
        pattern = first[column].tobytes()  # where each record's value occurred first
        if pattern in seen:
            raise ValueError(
                f"variables {seen[pattern]!r} and {name!r} are copies of each other: "
                "delete one of them"
            )
        seen[pattern] = name


def _require_full_rank(observations: Observations) -> None:
    """Refuses numeric variables that are linearly dependent.

    The rank is computed from the records, because the correlation matrix may be singular in
    floating point although the records are not linearly dependent.
    """
    matrix = correlation(observations)
    twins = np.argwhere(np.triu(np.abs(matrix) > 1 - TWINS, 1))
    if len(twins):
        i, j = twins[0]
        raise ValueError(
            f"variables {observations.names[i]!r} and {observations.names[j]!r} are copies "
            "of each other: delete one of them"
        )
    if np.linalg.eigvalsh(matrix)[0] > CLEARLY_DISTINCT:
        return
    centred = observations.values - observations.values.mean(axis=0)
    scaled = np.linalg.qr(centred / np.linalg.norm(centred, axis=0), mode="r")  # (p, p)
    if np.linalg.svd(scaled, compute_uv=False)[-1] < DEPENDENT:
        raise ValueError(
            "the correlation matrix is singular, because one variable is a linear combination of "
            "others: delete one of these variables"
        )


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
