"""Independent columns: their means, their independence, and the distance that they have."""

import numpy as np
import pytest

from dpfair_cli.algorithms.synthesis import independent_columns
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.metrics.generated_data import joint_distance
from tests.algorithms.synthesis.made_tables import people

N = 20_000
DATA = people(N)


def drawn(data=DATA, seed=0, **options):
    fitted = independent_columns.fit(data, **options, rng=np.random.default_rng(seed))
    return fitted.sample(len(data), rng=np.random.default_rng(seed + 100))


def five_deviations(share):
    return 5 * np.sqrt(share * (1 - share) / N)


def test_columns_keep_the_means_of_the_records():
    found = drawn()
    for ours, real in ((found.X, DATA.X), (found.y, DATA.y), (found.protected, DATA.protected)):
        assert np.all(np.abs(ours.mean(axis=0) - real.mean(axis=0)) < five_deviations(0.5))


def test_columns_are_uncorrelated():
    """Correlations of the records reach 1, those of independent columns 5 / sqrt(n)."""
    found = drawn()
    columns = np.column_stack([found.X, found.y, found.protected])
    apart = np.corrcoef(columns.T) - np.eye(columns.shape[1])
    assert np.abs(apart).max() < 5 / np.sqrt(N)


def test_fair_coins_ignore_the_features():
    found = drawn(probability="one half")
    assert np.all(np.abs(found.X.mean(axis=0) - 0.5) < five_deviations(0.5))
    assert found.y.mean() == pytest.approx(DATA.y.mean(), abs=five_deviations(0.5))


def test_fair_coins_are_as_far_away_as_rows_that_never_occur():
    """Without a common row the squared distance is |p|^2 + |q|^2, and |q|^2 = 1 / n if all differ.

    With 60 columns, two of 400 rows of coins are equal with a probability below 1e-13.
    """
    n, d = 400, 60
    rng = np.random.default_rng(3)
    X = np.eye(d)[rng.integers(0, 3, n)]
    places = {f"c{k}": (k,) for k in range(d)}
    domain = Domain(tuple(places), places, ("one", "two"))
    data = Records(X, rng.integers(0, 2, n), rng.integers(0, 2, n), domain)
    found = drawn(data, probability="one half")
    _, counts = np.unique(X, axis=0, return_counts=True)
    expected = np.sqrt(np.sum((counts / n) ** 2) + 1 / n)
    assert joint_distance(found.X, X) == pytest.approx(expected)
