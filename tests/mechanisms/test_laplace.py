"""The Laplace mechanism against its definition (ding2020, Theorem 1; xu2021, Theorem 1)."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.laplace import laplace


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("epsilon", [0, -1, -np.inf, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        laplace(np.zeros(3), l1_sensitivity=1, epsilon=epsilon, rng=rng())


@pytest.mark.parametrize("sensitivity", [-1, np.nan, np.inf])
def test_a_sensitivity_that_is_not_a_finite_bound_is_refused(sensitivity):
    with pytest.raises(ValueError, match="sensitivity"):
        laplace(np.zeros(3), l1_sensitivity=sensitivity, epsilon=1, rng=rng())


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, np.inf), (0, 1), (0, np.inf)])
def test_infinite_epsilon_and_zero_sensitivity_add_nothing(sensitivity, epsilon):
    value = np.array([0.1, -2.0, 1e9])
    np.testing.assert_array_equal(
        laplace(value, l1_sensitivity=sensitivity, epsilon=epsilon, rng=rng()), value
    )


def test_the_sample_has_scale_sensitivity_over_epsilon_around_the_value():
    sample = laplace(np.full(50_000, 7.0), l1_sensitivity=3, epsilon=2, rng=rng())  # scale 3 / 2
    assert stats.kstest(sample, stats.laplace(loc=7, scale=1.5).cdf).pvalue > 0.01


def test_every_coefficient_gets_its_own_noise():
    noise = laplace(np.zeros((20_000, 2)), l1_sensitivity=1, epsilon=1, rng=rng())
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.03  # 4 standard errors


def test_the_privacy_inequality_holds_on_two_neighbouring_inputs():
    n, epsilon, thresholds = 200_000, 0.8, np.linspace(-3, 4, 29)
    zero, one = (
        laplace(np.full(n, v), l1_sensitivity=1, epsilon=epsilon, rng=rng(v)) for v in (0, 1)
    )
    p, q = ((sample[:, None] <= thresholds).mean(axis=0) for sample in (zero, one))
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (
        1 + np.exp(epsilon)
    )  # Hoeffding, failure 1e-6 an event
    for a, b in [(p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)]:
        assert (a <= np.exp(epsilon) * b + slack).all()
    assert p[12] == pytest.approx(
        np.exp(epsilon) * q[12], rel=0.02
    )  # threshold 0: the bound is attained


def test_the_value_keeps_its_shape_and_is_not_changed():
    value = np.arange(6.0).reshape(2, 3)
    noisy = laplace(value, l1_sensitivity=1, epsilon=1, rng=rng())
    assert noisy.shape == (2, 3)
    np.testing.assert_array_equal(value, np.arange(6.0).reshape(2, 3))


def test_without_noise_the_answer_is_a_copy():
    value = np.zeros(2)
    laplace(value, l1_sensitivity=1, epsilon=np.inf, rng=rng())[0] = 5
    assert value[0] == 0
