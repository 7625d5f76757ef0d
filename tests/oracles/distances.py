"""Distances to the other decision of the G^2 test by brute force, and tables to try."""

import numpy as np
from scipy.stats import chi2

from dpfair_cli.models.causal_discovery.independence import g_squared

SHAPES = [(1, 2, 2), (1, 2, 3), (2, 2, 2), (1, 3, 3)]
SIZES = {(1, 2, 2): 24, (1, 2, 3): 14, (2, 2, 2): 10, (1, 3, 3): 9}  # records: brute force must end


def critical(shape, significance=0.01):
    strata, rows, columns = shape
    return float(chi2.isf(significance, strata * (rows - 1) * (columns - 1)))


def neighbours(table):
    """Every table with one record moved."""
    for a in np.argwhere(table.ravel() > 0).ravel():
        for b in range(table.size):
            if a != b:
                other = table.ravel().copy()
                other[a] -= 1
                other[b] += 1
                yield other.reshape(table.shape)


def brute_force(table, c, limit):
    """The least number of replacements to the other decision; limit + 1 if it is larger."""
    verdict, seen, front = g_squared(table) < c, {table.tobytes()}, [table]
    for distance in range(1, limit + 1):
        front = list({other.tobytes(): other for t in front for other in neighbours(t)}.items())
        front = [other for key, other in front if key not in seen]
        seen |= {other.tobytes() for other in front}
        if any((g_squared(other) < c) != verdict for other in front):
            return distance
    return limit + 1


def tables(shape, n, how_many, seed=0):
    """Random tables, many with empty cells, and the extreme ones: diagonal, constant, one row."""
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        cells = rng.dirichlet(np.full(np.prod(shape), rng.choice([0.2, 1.0, 5.0])))
        yield rng.multinomial(rng.integers(1, n + 1), cells).reshape(shape).astype(float)
    diagonal, row = np.zeros(shape), np.zeros(shape)
    diagonal[:, range(2), range(2)] = n // (2 * shape[0])
    row[0, 0] = n // shape[2]
    yield from (diagonal, row, np.full(shape, float(max(n // np.prod(shape), 1))))


def critical_of_counts(shape, level):
    """The critical value for counts in the order of the causal oracles, (a, b, strata)."""
    a, b, strata = shape
    return critical((strata, a, b), level)


def arranged(counts, shape):
    """Counts of that order as a table (strata, a, b)."""
    return np.moveaxis(np.reshape(counts, shape).astype(float), 2, 0)
