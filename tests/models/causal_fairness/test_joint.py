"""The shares of all combinations of values, by hand and by counting one by one."""

import numpy as np
import pytest

from dpfair_cli.models.causal_fairness.causal_model import distance_by_chance, empirical_joint
from tests.models.causal_fairness.made_records import shares


def test_the_shares_of_five_records_by_hand():
    joint = empirical_joint(np.array([[0, 0], [0, 1], [0, 1], [1, 1], [1, 1]]))
    np.testing.assert_allclose(joint, [[0.2, 0.4], [0, 0.4]], atol=1e-15)


@pytest.mark.parametrize("p", [1, 2, 5, 11])
def test_the_axes_are_the_columns_in_their_order(p):
    codes = (np.random.default_rng(p).random((500, p)) < np.linspace(0.1, 0.9, p)).astype(int)
    joint = empirical_joint(codes)
    assert joint.shape == (2,) * p
    np.testing.assert_allclose(joint, shares(codes), atol=1e-12)
    assert joint.sum() == pytest.approx(1, abs=1e-12)
    for j in range(p):
        others = tuple(k for k in range(p) if k != j)
        assert joint.sum(axis=others)[1] == pytest.approx(codes[:, j].mean())


def test_the_codes_are_not_changed():
    codes = np.random.default_rng(0).integers(0, 2, (20, 3))
    before = codes.copy()
    empirical_joint(codes)
    np.testing.assert_array_equal(codes, before)


def test_the_distance_by_chance_of_two_draws_by_hand():
    """Of (1/2, 1/2): both draws are in one cell, at distance 1/2, with probability 1/2."""
    assert distance_by_chance(np.array([0.5, 0.5]), 2) == pytest.approx(0.25)
    assert distance_by_chance(np.array([1.0, 0.0]), 10) == pytest.approx(0.0)


def test_the_distance_by_chance_is_the_mean_over_many_samples():
    joint = np.random.default_rng(0).dirichlet(np.full(64, 0.3))
    drawn = np.random.default_rng(1).multinomial(200, joint, size=4000) / 200
    found = np.abs(drawn - joint).sum(axis=1) / 2
    assert distance_by_chance(joint, 200) == pytest.approx(
        found.mean(), abs=4 * found.std() / 4000**0.5
    )
