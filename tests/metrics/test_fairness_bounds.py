"""The bounds of mangold2023: by hand in the plane, by simulation, on random data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.mechanisms.gaussian import classical_sigma
from dpfair_cli.metrics import fairness_bounds as bounds

distances = st.floats(1e-3, 1e3)


def test_the_distance_bound_is_theorem_1():
    n, mu, epsilon, delta, norm, p, zeta = 1000, 0.5, 0.7, 1e-6, 6.0, 38, 0.01
    sigma = classical_sigma(2 * norm / (mu * n), epsilon, delta)
    assert sigma**2 == pytest.approx(8 * norm**2 * np.log(1.25 / delta) / (mu * n * epsilon) ** 2)
    printed = 32 * p * norm**2 * np.log(1.25 / delta) * np.log(2 / zeta) / (mu * n * epsilon) ** 2
    assert bounds.distance_bound(sigma, p, zeta) ** 2 == pytest.approx(printed)


@pytest.mark.parametrize("p", [1, 2, 9, 38])
@pytest.mark.parametrize("zeta", [0.5, 0.1, 0.01])
def test_noise_exceeds_the_distance_bound_with_probability_zeta(p, zeta):
    noise = np.random.default_rng(p).normal(scale=2.0, size=(20_000, p))
    assert (np.linalg.norm(noise, axis=1) > bounds.distance_bound(2.0, p, zeta)).mean() <= zeta


def test_two_records_in_the_plane_by_hand():
    # z = (3, 4) and (0, 5), h* = (1, 0): |rho| / |z| = 3/5 and 0/5 ... move the second: (4, 3) has
    # 4/5
    Z, h = np.array([[3.0, 4.0], [4.0, 3.0]]), np.array([1.0, 0.0])
    r = np.abs(Z @ h) / np.linalg.norm(Z, axis=1)
    np.testing.assert_allclose(r, [0.6, 0.8])
    # mean of 1 / 0.6 and 1 / 0.8 is (5/3 + 5/4) / 2 = 35/24; times 0.3
    assert bounds.linear(r, 0.3) == pytest.approx(0.3 * 35 / 24)
    # a turn of h* by less than 0.3 cannot change either decision, one by 0.6 straight at the first
    # record does
    best = min(np.exp(t * 0.3) * np.exp(-t * r).mean() for t in np.linspace(0, 200, 20_001))
    assert bounds.chernoff(r, 0.3) == pytest.approx(best, rel=0.02, abs=1e-4)


def test_the_bound_of_a_group_is_the_weighted_sum_over_cells():
    C = np.array([[0.75, -0.25, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(bounds.total(C, np.array([0.4, 0.8, np.inf])), [0.3 + 0.2, 0.0])
    many = np.array([[0.4, 1.0], [0.8, 2.0], [np.inf, 3.0]])
    np.testing.assert_allclose(bounds.total(C, many), [[0.5, 1.25], [0.0, 0.0]])


@given(st.integers(0, 1000), distances)
@settings(max_examples=60)
def test_both_forms_are_above_the_share_of_records_that_near_the_boundary(seed, scale):
    r = np.random.default_rng(seed).exponential(size=200) * scale
    for distance in (0.01 * scale, 0.3 * scale, 3 * scale):
        share = (r <= distance).mean()
        assert share <= bounds.linear(r, distance) + 1e-12
        assert share <= bounds.chernoff(r, distance) + 1e-12 <= 1 + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_no_model_within_the_distance_moves_an_accuracy_beyond_the_bounds(seed):
    """Whichever of the two models the bound is taken at."""
    rng = np.random.default_rng(seed)
    Z, y, h = rng.normal(size=(400, 3)), rng.integers(0, 2, 400), rng.normal(size=3)
    for distance in (0.01, 0.1, 1.0):
        turn = rng.normal(size=(3, 50))
        other = h[:, None] + distance * turn / np.linalg.norm(turn, axis=0)
        accuracy = ((Z @ h > 0) == y).mean()
        moved = np.abs(((Z @ other > 0) == y[:, None]).mean(axis=0) - accuracy)
        r = np.abs(Z @ np.column_stack([h, other])) / np.linalg.norm(Z, axis=1, keepdims=True)
        linear = bounds.linear(r, distance)
        assert (moved <= linear[0]).all()
        assert (moved <= linear[1:]).all()
        assert (moved <= bounds.chernoff(r[:, 0], distance)).all()


def test_without_noise_nothing_moves():
    r = np.array([0.5, 1.0])
    assert bounds.distance_bound(0.0, 5, 0.01) == 0
    assert bounds.linear(r, 0.0) == bounds.chernoff(r, 0.0) == 0


def test_the_bounds_shrink_with_the_distance_the_linear_one_in_proportion():
    r = np.random.default_rng(0).exponential(size=500)
    assert bounds.linear(r, 0.2) == pytest.approx(2 * bounds.linear(r, 0.1))
    values = [bounds.chernoff(r, distance) for distance in (0.01, 0.1, 1.0)]
    assert values == sorted(values)
