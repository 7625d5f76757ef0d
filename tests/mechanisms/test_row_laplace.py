"""Noise on rows (xu2021, Theorem 7): uniform direction, Gamma-distributed norm, privacy."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.mechanisms.laplace import row_laplace
from dpfair_cli.mechanisms.ledger import record, replay


def rng(seed=0):
    return np.random.default_rng(seed)


def noise(rows, k, *, l21_sensitivity=1.0, epsilon=1.0, seed=0):
    return row_laplace(
        np.zeros((rows, k)), l21_sensitivity=l21_sensitivity, epsilon=epsilon, rng=rng(seed)
    )


@pytest.mark.parametrize("epsilon", [0, -1, -np.inf, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        noise(2, 2, epsilon=epsilon)


@pytest.mark.parametrize("sensitivity", [-1, np.nan, np.inf])
def test_a_sensitivity_that_is_not_a_finite_bound_is_refused(sensitivity):
    with pytest.raises(ValueError, match="sensitivity"):
        noise(2, 2, l21_sensitivity=sensitivity)


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, np.inf), (0, 1), (0, np.inf)])
def test_infinite_epsilon_and_zero_sensitivity_add_nothing(sensitivity, epsilon):
    value = np.array([[0.1, -2.0], [1e9, 0.0]])
    same = row_laplace(value, l21_sensitivity=sensitivity, epsilon=epsilon, rng=rng())
    np.testing.assert_array_equal(same, value)


@pytest.mark.parametrize("k", [1, 2, 7, 100])
def test_the_norm_of_a_row_is_gamma_distributed(k):
    norms = np.linalg.norm(noise(5_000, k, l21_sensitivity=3, epsilon=2), axis=1)  # scale 3 / 2
    assert stats.kstest(norms, stats.gamma(k, scale=1.5).cdf).pvalue > 0.01


def test_the_published_noise_of_a_hundred_dimensions_has_norm_283():
    """k 2 sqrt(2) / epsilon at k = 100 and epsilon = 1; its deviation is 10 x 2 sqrt(2)."""
    norms = np.linalg.norm(noise(2_000, 100, l21_sensitivity=2 * np.sqrt(2)), axis=1)
    assert norms.mean() == pytest.approx(282.84, abs=4 * 28.3 / np.sqrt(2_000))


def test_in_one_dimension_it_is_the_laplace_mechanism():
    sample = noise(20_000, 1, l21_sensitivity=3, epsilon=2)[:, 0]
    assert stats.kstest(sample, stats.laplace(scale=1.5).cdf).pvalue > 0.01


def test_every_direction_of_the_plane_is_as_likely():
    angles = np.arctan2(*noise(20_000, 2).T)
    assert stats.kstest(angles, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 0.01


def test_no_direction_of_space_is_preferred_and_none_leans_on_the_norm():
    eta = noise(20_000, 5)
    norms = np.linalg.norm(eta, axis=1, keepdims=True)
    directions = eta / norms
    assert np.abs(directions.mean(axis=0)).max() < 5 / np.sqrt(5 * 20_000)
    np.testing.assert_allclose(np.cov(directions.T), np.eye(5) / 5, atol=0.01)
    assert abs(np.corrcoef(directions[:, 0] ** 2, norms[:, 0])[0, 1]) < 0.03


def test_every_row_gets_its_own_noise():
    eta = np.array([noise(2, 2, seed=seed) for seed in range(4_000)])  # (draws, rows, columns)
    norms = np.linalg.norm(eta, axis=2)
    assert abs(np.corrcoef(norms.T)[0, 1]) < 0.07  # 4 standard errors
    assert abs(np.corrcoef(eta[:, 0, 0], eta[:, 1, 0])[0, 1]) < 0.07


def test_noise_is_around_the_value():
    value = np.array([[5.0, -3.0]] * 20_000)
    noisy = row_laplace(value, l21_sensitivity=1, epsilon=1, rng=rng())
    np.testing.assert_allclose(
        noisy.mean(axis=0), [5, -3], atol=0.06
    )  # deviation sqrt(3), 5 standard errors


def first_coordinates(value, k, n=200_000):
    """The first coordinate of n releases of the row (value, 0, ..., 0)."""
    rows = np.zeros((n, k))
    rows[:, 0] = value
    return row_laplace(rows, l21_sensitivity=1, epsilon=0.8, rng=rng(value))[:, 0]


@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_privacy_inequality_holds_on_two_rows_at_the_declared_distance(k):
    n, epsilon, thresholds = 200_000, 0.8, np.linspace(-3, 4, 29)
    zero, one = (first_coordinates(value, k) for value in (0, 1))
    p, q = ((sample[:, None] <= thresholds).mean(axis=0) for sample in (zero, one))
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (
        1 + np.exp(epsilon)
    )  # Hoeffding, failure 1e-6 an event
    for a, b in [(p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)]:
        assert (a <= np.exp(epsilon) * b + slack).all()
    if k == 1:
        assert p[12] == pytest.approx(
            np.exp(epsilon) * q[12], rel=0.02
        )  # threshold 0: the bound is attained


def test_the_privacy_inequality_holds_for_two_rows_that_change():
    """Two rows of one dimension change by 1/2 each.

    The event that both are at most 0 reaches exp(epsilon).
    """
    n, epsilon = 200_000, 0.8

    def chance(value, seed):
        noisy = row_laplace(
            np.full((2 * n, 1), value), l21_sensitivity=1, epsilon=epsilon, rng=rng(seed)
        )
        return (noisy.reshape(n, 2) <= 0).all(axis=1).mean()

    assert chance(0.0, 1) == pytest.approx(np.exp(epsilon) * chance(0.5, 2), rel=0.03)


def test_a_release_says_its_value_its_sensitivity_and_its_scale():
    value = np.arange(6.0).reshape(3, 2)
    with record() as tape:
        noisy = row_laplace(value, l21_sensitivity=3, epsilon=2, rng=rng())
    (entry,) = tape
    np.testing.assert_array_equal(entry.value, value)
    np.testing.assert_array_equal(entry.output, noisy)
    assert (entry.sensitivity, entry.scale) == (3, 1.5)


def released(value):
    with record() as tape:
        row_laplace(value, l21_sensitivity=1, epsilon=0.5, rng=rng())
    return tape[0]


def test_a_change_is_measured_as_the_sum_of_the_norms_of_the_rows():
    before, after = (
        released(np.zeros((3, 2))),
        released(np.array([[3.0, 4.0], [0.0, 0.0], [-5.0, 12.0]])),
    )
    assert query_change(before, after) == pytest.approx(5 + 13)


def test_a_change_costs_its_length_over_the_scale():
    assert privacy_loss([released(np.zeros((3, 2)))], [1.5], 0.0) == pytest.approx(1.5 * 0.5)


def test_a_replay_answers_with_the_recorded_rows():
    with record() as tape:
        noisy = row_laplace(np.zeros((2, 2)), l21_sensitivity=1, epsilon=1, rng=rng(0))
    with replay(tape):
        again = row_laplace(np.ones((2, 2)), l21_sensitivity=1, epsilon=1, rng=rng(1))
    np.testing.assert_array_equal(again, noisy)


def test_the_value_keeps_its_shape_and_is_not_changed():
    value = np.arange(6.0).reshape(2, 3)
    noisy = row_laplace(value, l21_sensitivity=1, epsilon=1, rng=rng())
    assert noisy.shape == (2, 3)
    np.testing.assert_array_equal(value, np.arange(6.0).reshape(2, 3))


def test_without_noise_the_answer_is_a_copy():
    value = np.zeros((1, 2))
    row_laplace(value, l21_sensitivity=1, epsilon=np.inf, rng=rng())[0, 0] = 5
    assert value[0, 0] == 0


def test_the_same_seed_gives_the_same_noise_and_another_one_another():
    assert noise(3, 2, seed=4).tobytes() == noise(3, 2, seed=4).tobytes()
    assert (noise(3, 2, seed=4) != noise(3, 2, seed=5)).all()
