"""The sensitivities of moments against what records can do, at random and at worst."""

import numpy as np
import pytest

from dpfair_cli.mechanisms.sensitivity.moments import l1_covariance_published, l1_moments


def moments(Y):
    return np.concatenate([Y.mean(axis=0), (Y.T @ Y / len(Y))[np.tril_indices(Y.shape[1])]])


def move(left, right, query=moments):
    return np.abs(query(left) - query(right)).sum()


def second(Y):
    return moments(Y)[Y.shape[1] :]


def replaced(Y, row):
    return np.vstack([[row], Y[1:]])


@pytest.mark.parametrize("p", [1, 2, 5, 10])
def test_the_bound_is_reached_by_all_ones_and_a_small_opposite(p):
    Y = np.ones((7, p))
    assert move(Y, replaced(Y, np.full(p, -1 / (p + 1)))) == pytest.approx(l1_moments(p, 7))


@pytest.mark.parametrize("p", [1, 2, 3, 6])
def test_no_random_or_extreme_record_moves_the_moments_further(p):
    rng = np.random.default_rng(p)
    for k in range(3000):
        ends = (-1, 0, 1) if k % 2 else np.linspace(-1, 1, 9)
        Y, row = rng.choice(ends, (4, p)), rng.choice(ends, p)
        assert move(Y, replaced(Y, row)) <= l1_moments(p, 4) + 1e-12
        assert move(Y, replaced(Y, row), second) <= p * (p + 1) / 2 / 4 + 1e-12


def test_ten_variables_of_a_hundred_records_by_hand():
    assert l1_moments(10, 100) == pytest.approx((55 + 10 + 10 / 22) / 100)
    assert l1_covariance_published(10, 101) == pytest.approx(0.55)


def test_the_published_formula_holds_for_second_moments_only():
    p, n = 4, 50
    Y = np.zeros((n, p))
    assert move(Y, replaced(Y, np.ones(p)), second) == pytest.approx(
        l1_covariance_published(p, n) * (n - 1) / n
    )
    # what Theorem 6 assumes, and a record at 4 deviations
    normal = np.random.default_rng(0).normal(size=(n, p))
    change = np.abs(np.cov(normal.T) - np.cov(replaced(normal, np.full(p, 4.0)).T))[
        np.tril_indices(p)
    ].sum()
    assert change > 5 * l1_covariance_published(p, n)


def test_a_covariance_about_the_datas_own_mean_moves_four_times_as_far():
    p, n = 3, 40
    Y = -np.ones((n, p))
    change = np.abs(np.cov(Y.T, bias=True) - np.cov(replaced(Y, np.ones(p)).T, bias=True))[
        np.tril_indices(p)
    ].sum()
    assert change == pytest.approx(2 * p * (p + 1) / n * (1 - 1 / n))


def test_one_record_has_no_covariance():
    with pytest.raises(ValueError, match="at least two records, got 1"):
        l1_covariance_published(3, 1)
