"""The Gaussian mechanism and its three calibrations.

Sources: ding2020, Theorem 2; xu2021, Theorem 2; Balle and Wang 2018.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from dpfair_cli.mechanisms.gaussian import (
    analytic_sigma,
    classical_sigma,
    extended_sigma,
    gaussian,
    gaussian_delta,
)

CALIBRATIONS = [analytic_sigma, classical_sigma, extended_sigma]
epsilons = st.floats(0.01, 50)
deltas = st.floats(1e-9, 0.99)


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("epsilon", [0, -1, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(calibration, epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        calibration(l2_sensitivity=1, epsilon=epsilon, delta=1e-3)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("delta", [0, 1, -0.1, 1.5, np.nan])
def test_a_delta_outside_zero_and_one_is_refused(calibration, delta):
    with pytest.raises(ValueError, match="delta"):
        calibration(l2_sensitivity=1, epsilon=1, delta=delta)


@pytest.mark.parametrize("sigma", [-1, np.nan])
def test_a_sigma_that_is_no_deviation_is_refused(sigma):
    with pytest.raises(ValueError, match="sigma"):
        gaussian(np.zeros(3), l2_sensitivity=1, sigma=sigma, rng=rng())


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, np.inf), (0, 1), (0, np.inf)])
def test_infinite_epsilon_and_zero_sensitivity_add_nothing(calibration, sensitivity, epsilon):
    sigma = calibration(l2_sensitivity=sensitivity, epsilon=epsilon, delta=1e-3)
    value = np.array([0.1, -2.0, 1e9])
    assert sigma == 0
    np.testing.assert_array_equal(
        gaussian(value, l2_sensitivity=sensitivity, sigma=sigma, rng=rng()), value
    )


def test_the_sample_is_normal_around_the_value():
    sample = gaussian(np.full(50_000, 7.0), l2_sensitivity=1, sigma=2.5, rng=rng())
    assert stats.kstest(sample, stats.norm(7, 2.5).cdf).pvalue > 0.01


def test_the_value_keeps_its_shape_and_is_not_changed():
    value = np.arange(6.0).reshape(2, 3)
    assert gaussian(value, l2_sensitivity=1, sigma=1, rng=rng()).shape == (2, 3)
    gaussian(value, l2_sensitivity=1, sigma=0, rng=rng())[0, 0] = 9
    np.testing.assert_array_equal(value, np.arange(6.0).reshape(2, 3))


def test_the_privacy_inequality_holds_on_two_neighbouring_inputs():
    n, epsilon, delta, thresholds = 200_000, 0.8, 0.05, np.linspace(-3, 4, 29)
    sigma = analytic_sigma(l2_sensitivity=1, epsilon=epsilon, delta=delta)
    zero, one = (gaussian(np.full(n, v), l2_sensitivity=1, sigma=sigma, rng=rng(v)) for v in (0, 1))
    p, q = ((sample[:, None] <= thresholds).mean(axis=0) for sample in (zero, one))
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (
        1 + np.exp(epsilon)
    )  # Hoeffding, failure 1e-6 an event
    for a, b in [(p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)]:
        assert (a <= np.exp(epsilon) * b + delta + slack).all()


def test_the_extended_calibration_is_theorem_2_of_ding2020():
    # log(sqrt(2 / pi) / delta) = 4, so the roots are sqrt(4) + sqrt(4 + 5) = 5 and
    # sigma = sqrt(2) * sqrt(2) / (2 * 5) * 5 = 1
    sigma = extended_sigma(
        l2_sensitivity=np.sqrt(2), epsilon=5, delta=np.sqrt(2 / np.pi) * np.exp(-4)
    )
    assert sigma == pytest.approx(1, rel=1e-12)


def test_the_classical_calibration_is_theorem_2_of_xu2021():
    # delta = 1.25 exp(-8): c = sqrt(2 * 8) = 4, sigma = 4 * 3 / 0.5 = 24
    assert classical_sigma(l2_sensitivity=3, epsilon=0.5, delta=1.25 * np.exp(-8)) == pytest.approx(
        24, rel=1e-12
    )


@pytest.mark.parametrize("epsilon", [1.0001, 10])
def test_the_classical_calibration_refuses_epsilon_above_one(epsilon):
    with pytest.raises(ValueError, match="epsilon"):
        classical_sigma(l2_sensitivity=1, epsilon=epsilon, delta=1e-3)


def test_the_classical_formula_at_epsilon_10_would_only_give_11_03():
    noise_multiplier = np.sqrt(2 * np.log(1.25 / 1e-3)) / 10
    true = optimize.brentq(lambda epsilon: gaussian_delta(epsilon, noise_multiplier) - 1e-3, 5, 20)
    assert true == pytest.approx(11.03, abs=0.005)


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1, 3, 10])
@pytest.mark.parametrize("noise_multiplier", [0.2, 0.5, 1, 4])
def test_the_exact_delta_is_the_integral_of_the_excess_density(epsilon, noise_multiplier):
    p, q = stats.norm(1, noise_multiplier), stats.norm(0, noise_multiplier)
    start = epsilon * noise_multiplier**2 + 0.5  # where p = exp(epsilon) q
    scale = np.exp(epsilon)
    excess, _ = integrate.quad(
        lambda x: p.pdf(x) - scale * q.pdf(x),
        start,
        max(start, 1) + 12 * noise_multiplier,
        epsabs=0,
        epsrel=1e-9,
    )
    assert gaussian_delta(epsilon, noise_multiplier) == pytest.approx(excess, rel=1e-6, abs=1e-15)


@given(epsilons, deltas)
def test_the_analytic_calibration_spends_delta_and_no_more(epsilon, delta):
    sigma = analytic_sigma(l2_sensitivity=2, epsilon=epsilon, delta=delta)
    spent = gaussian_delta(epsilon, sigma / 2)
    assert spent == pytest.approx(delta, abs=1e-9)
    assert spent <= delta * (1 + 1e-9)


@given(epsilons, deltas)
def test_the_extended_calibration_is_never_below_the_analytic_one(epsilon, delta):
    sigma = extended_sigma(l2_sensitivity=1, epsilon=epsilon, delta=delta)
    assert gaussian_delta(epsilon, sigma) <= delta
    assert analytic_sigma(l2_sensitivity=1, epsilon=epsilon, delta=delta) <= sigma * (1 + 1e-9)


@given(st.floats(0.01, 1), deltas)
def test_the_analytic_calibration_is_never_above_the_classical_one(epsilon, delta):
    classical = classical_sigma(l2_sensitivity=1, epsilon=epsilon, delta=delta)
    assert analytic_sigma(l2_sensitivity=1, epsilon=epsilon, delta=delta) <= classical


@given(st.floats(1e-3, 1000), st.floats(0.01, 100))
def test_the_exact_delta_is_a_probability_that_falls_with_epsilon(epsilon, noise_multiplier):
    delta = gaussian_delta(epsilon, noise_multiplier)
    assert -1e-300 <= delta <= 1
    assert gaussian_delta(2 * epsilon, noise_multiplier) <= delta + 1e-12


def test_without_a_bound_on_epsilon_no_delta_is_needed():
    assert gaussian_delta(np.inf, 1.0) == 0
