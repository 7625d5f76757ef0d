"""Fits that are watched, and what the minimiser of one feature must be."""

import numpy as np

from dpfair_cli.mechanisms.ledger import record


def fit(algorithm, records, seed=0, **options):
    """(the model, what was released)."""
    with record() as tape:
        model = algorithm.fit(records, rng=np.random.default_rng(seed), **options)
    return model, tape


def minimiser(linear, square, deviation):
    """-linear / (2 (square + 5 deviations)), or 0 where that is not convex: one feature."""
    curvature = square + 5 * deviation
    return -linear / (2 * curvature) if curvature > 1e-8 else 0
