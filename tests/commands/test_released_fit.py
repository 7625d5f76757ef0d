"""A fit for release has one thread of linear algebra, so that a seed gives the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from dpfair_cli.contracts.declarations import BoundFit
from dpfair_cli.estimator import DpfairClassifier
from tests.commands.invoking import works
from tests.commands.material import PUBLIC


def train():
    """`dpfair train` on the table of the fixture `own`."""
    works("train", "own.csv", *PUBLIC, "--method", "pflr")


def fit_of_estimator():
    """A fit of `DpfairClassifier`."""
    X = np.linspace(0, 1, 20)[:, None]
    DpfairClassifier(low=0, high=1, classes=[0, 1], seed=0).fit(X, X[:, 0] > 0.5)


@pytest.mark.parametrize("fit", [train, fit_of_estimator])
@pytest.mark.usefixtures("own")
def test_a_fit_uses_one_thread_so_that_a_seed_gives_the_same_bytes(fit, monkeypatch):
    threads, call = [], BoundFit.__call__

    def watched(bound, data, **options):
        found = threadpool_info()
        threads.extend(part["num_threads"] for part in found if part["user_api"] == "blas")
        return call(bound, data, **options)

    monkeypatch.setattr(BoundFit, "__call__", watched)
    with threadpool_limits(2, user_api="blas"):
        fit()
    assert set(threads) == {1}
