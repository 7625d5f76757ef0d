"""Tests of functions of OpenDP, whose noise is drawn outside Python, by outcomes.

`PCA` has the interface of scikit-learn, and its neighbours differ in one row. The release of the
index of a largest score has the claim that OpenDP itself computes.
"""

import opendp.prelude as dp
from opendp.extras.sklearn.decomposition import PCA

from pytest_dpfair import assert_private, assert_zero_concentrated

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
SCORES = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
PAIRS = [([0, 0], [1, -1]), ([0, 0, 0], [1, 1, -1])]


def components(X, epsilon):
    settings = {"row_norm": 2.0, "n_samples": len(X), "n_features": X.shape[1], "n_components": 1}
    return PCA(epsilon=epsilon, **settings).fit(X).components_


def test_principal_component():
    assert_private(components, epsilon=1.0, seconds=5)


def test_largest_score():
    largest = dp.m.make_noisy_max(*SCORES, dp.max_divergence(), scale=1.0)
    assert_private(
        lambda scores: largest(scores), epsilon=largest.map(1), neighbours=PAIRS, seconds=5
    )


def test_largest_score_under_zero_concentrated_privacy():
    largest = dp.m.make_noisy_max(*SCORES, dp.zero_concentrated_divergence(), scale=1.0)
    assert_zero_concentrated(
        lambda scores: largest(scores), rho=largest.map(1), neighbours=PAIRS, seconds=5
    )
