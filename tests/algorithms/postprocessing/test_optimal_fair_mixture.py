"""The optimal fair mixture: which hypotheses it may use, and what it is refused for."""

import numpy as np
import pytest

from dpfair_cli.algorithms.postprocessing import optimal_fair_mixture
from dpfair_cli.datasets import separation
from dpfair_cli.kinds.records import Domain, Records


def fit(records, **options):
    return optimal_fair_mixture.fit(records, rng=np.random.default_rng(0), **options)


@pytest.fixture
def people(tmp_path):
    return separation.load(tmp_path)


def test_a_group_aware_mixture_has_two_hypotheses_more(people):
    blind, aware = (fit(people, features=features) for features in ("blind", "aware"))
    assert (len(blind.shares), blind.reads_group) == (2, False)
    assert (len(aware.shares), aware.reads_group) == (4, True)


def test_features_that_are_neither_blind_nor_aware_are_refused(people):
    with pytest.raises(ValueError, match="features 'nonsense': there are: aware, blind"):
        fit(people, features="nonsense")


def test_three_groups_are_refused():
    domain = Domain(("x",), {"x": (0,)}, ("a", "b", "c"))
    records = Records(np.zeros((3, 1)), np.zeros(3, int), np.arange(3), domain)
    with pytest.raises(
        ValueError, match="must have two groups for the optimal fair mixture, got 3"
    ):
        fit(records)
