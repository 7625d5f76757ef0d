"""Records of categories for the tests of causal discovery."""

import numpy as np

from dpfair_cli.kinds.variables import Observations


def observed(values, levels):
    """Observations of the variables v0, v1, ... with as many categories as `levels` says."""
    values = np.asarray(values, dtype=np.int64).reshape(-1, len(levels))
    return Observations(values, tuple(f"v{j}" for j in range(len(levels))), tuple(levels))


def networked(seed, n=300, p=6, sparseness=0.5, largest=3):
    """Records of a random network with Dirichlet tables."""
    rng = np.random.default_rng(seed)
    levels = tuple(int(k) for k in rng.integers(2, largest + 1, p))
    dag, values = np.triu(rng.random((p, p)) < sparseness, 1), np.zeros((n, p), dtype=np.int64)
    for j in range(p):
        parents = np.flatnonzero(dag[:, j])
        place = np.zeros(n, dtype=int)
        for k in parents:
            place = place * levels[k] + values[:, k]
        tables = rng.dirichlet(np.ones(levels[j]), int(np.prod([levels[k] for k in parents])))
        drawn = (rng.random(n)[:, None] > np.cumsum(tables, axis=1)[place]).sum(axis=1)
        values[:, j] = np.minimum(drawn, levels[j] - 1)
    return Observations(values, tuple("abcdefghij"[:p]), levels)


def small_samples(levels, n, count, seed=0):
    """`count` tables of n records: variable 2 never, sometimes or always copies variable 1."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        values = np.column_stack([rng.integers(0, level, n) for level in levels])
        same = rng.random(n) < rng.choice([0, 0.5, 0.9, 1])
        values[same, 1] = np.minimum(values[same, 0], levels[1] - 1)
        yield values
