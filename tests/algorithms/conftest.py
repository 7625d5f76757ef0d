"""Small crowds for the tests of the algorithms."""

import numpy as np
import pytest

from dpfair_cli.kinds.records import Domain, Records


def records(X, y, protected):
    """Records whose features x0, x1, ... are one attribute each."""
    X = np.array(X, dtype=float)
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, ("a", "b"))
    return Records(X, np.array(y, dtype=int), np.array(protected, dtype=int), domain)


@pytest.fixture(name="records")
def records_fixture():
    return records


@pytest.fixture
def crowd():
    """Two thirds in group 1, who have more of x0; the label is x0 > x1 for nine in ten."""

    def build(n=600, d=6, seed=0):
        rng = np.random.default_rng(seed)
        protected = rng.integers(0, 3, n) > 0
        X = rng.random((n, d))
        X[:, 0] = 0.7 * X[:, 0] + 0.3 * protected
        return records(X, (X[:, 0] > X[:, 1]) ^ (rng.random(n) < 0.1), protected)

    return build
