"""Renyi divergences of the subsampled Gaussian: closed forms, another integral, dp-accounting."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpfair_cli.mechanisms.accounting import renyi
from dpfair_cli.mechanisms.accounting.renyi import (
    INTEGER_ORDERS,
    ORDERS,
    renyi_divergences,
    renyi_epsilon,
)

rates, multipliers = st.floats(1e-5, 0.99), st.floats(0.3, 20)
RUNS = [
    (0.8, 256 / 60_000, 14_063),
    (1.0, 256 / 36_177, 2_827),
    (5.0, 0.1, 500),
    (0.5, 1e-4, 20_000),
    (2.0, 1.0, 30),
]


def theirs(noise_multiplier, sampling_rate, steps, orders=None):
    event = dp_accounting.PoissonSampledDpEvent(
        sampling_rate, dp_accounting.GaussianDpEvent(noise_multiplier)
    )
    accountant = rdp.RdpAccountant(orders)
    return accountant.compose(dp_accounting.SelfComposedDpEvent(event, steps))


def test_the_second_order_by_hand():
    # E[(1 - q + q r)^2] = 1 + q^2 (E[r^2] - 1) with E[r^2] = exp(1 / s^2)
    q, s = 0.1, 2.0
    (divergence,) = renyi_divergences(s, q, [2])
    assert divergence == pytest.approx(math.log(1 + q**2 * (math.exp(1 / s**2) - 1)), rel=1e-13)


def test_without_sampling_it_is_the_gaussian():
    np.testing.assert_allclose(
        renyi_divergences(0.7, 1.0), np.array(ORDERS) / (2 * 0.7**2), rtol=1e-15
    )


@settings(max_examples=40)
@given(multipliers, rates, st.sampled_from(INTEGER_ORDERS[:20]))
def test_the_integral_and_the_sum_agree_at_integer_orders(s, q, order):
    assert renyi._quadrature(order, q, s) == pytest.approx(
        renyi._binomial(order, q, s), rel=1e-9, abs=1e-13
    )


@pytest.mark.parametrize("order", [1.1, 1.5, 3.7, 10.9])
@pytest.mark.parametrize(("s", "q"), [(0.8, 0.01), (0.3, 0.2), (4.0, 0.5)])
def test_a_fractional_order_is_the_integral_over_the_density(order, s, q):
    base, shifted = stats.norm(0, s), stats.norm(1, s)

    def integrand(z):
        ratio = np.logaddexp(np.log(1 - q), np.log(q) + shifted.logpdf(z) - base.logpdf(z))
        return np.exp(base.logpdf(z) + order * ratio)

    moment, _ = integrate.quad(
        integrand, -12 * s, order + 12 * s, points=[0, 1, order], epsrel=1e-12, limit=500
    )
    assert renyi._quadrature(order, q, s) == pytest.approx(math.log(moment), rel=1e-8, abs=1e-12)


@settings(max_examples=40)
@given(multipliers, rates)
def test_divergences_grow_and_stay_below_the_unsampled_gaussian(s, q):
    divergences = renyi_divergences(s, q)
    assert (np.diff(divergences) >= -1e-12).all()
    assert (divergences <= renyi_divergences(s, 1.0) + 1e-12).all()
    assert (divergences >= -1e-12).all()


@pytest.mark.parametrize(("s", "q", "steps"), RUNS)
def test_integer_orders_and_their_epsilon_agree_with_dp_accounting(s, q, steps):
    accountant = theirs(s, q, steps, INTEGER_ORDERS)
    divergences = steps * renyi_divergences(s, q, INTEGER_ORDERS)
    np.testing.assert_allclose(divergences, accountant._rdp, rtol=1e-9)
    ours = renyi_epsilon(divergences, 1e-6, orders=INTEGER_ORDERS, conversion="improved")
    assert ours == pytest.approx(accountant.get_epsilon(1e-6), abs=1e-6)


@pytest.mark.parametrize(("s", "q", "steps"), RUNS)
def test_fractional_orders_are_at_most_those_of_dp_accounting(s, q, steps):
    """It interpolates between integer orders, which is an upper bound."""
    ours, others = steps * renyi_divergences(s, q), theirs(s, q, steps, ORDERS)._rdp
    assert (ours <= others * (1 + 1e-9) + 1e-12).all()


def test_the_conversions_by_hand():
    # one order, 3, of total divergence 0.5, delta = exp(-4): classic 0.5 + 4 / 2 = 2.5;
    # improved 0.5 + log(2/3) + (4 - log 3) / 2
    kwargs = {"delta": math.exp(-4), "orders": [3]}
    assert renyi_epsilon(np.array([0.5]), conversion="classic", **kwargs) == pytest.approx(2.5)
    improved = 0.5 + math.log(2 / 3) + (4 - math.log(3)) / 2
    assert renyi_epsilon(np.array([0.5]), conversion="improved", **kwargs) == pytest.approx(
        improved
    )


def test_the_best_order_is_taken_and_epsilon_is_never_negative():
    kwargs = {"conversion": "improved", "orders": [2, 8]}
    assert renyi_epsilon(np.array([0.0, 9.0]), 1e-3, **kwargs) == pytest.approx(
        renyi_epsilon(np.array([0.0]), 1e-3, conversion="improved", orders=[2])
    )
    assert renyi_epsilon(np.array([0.0, 0.0]), 0.9, **kwargs) == 0


def test_an_unknown_conversion_is_refused():
    with pytest.raises(ValueError, match="conversion 'best': there are: classic, improved"):
        renyi_epsilon(np.zeros(1), 1e-3, orders=[2], conversion="best")
