"""The loss distribution gives a tight upper bound: closed forms, integrals, dp-accounting."""

import math
from functools import cache

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import ndtr

from dpfair_cli.mechanisms.accounting import privacy_loss
from dpfair_cli.mechanisms.accounting.accountant import noise_multiplier_for
from dpfair_cli.mechanisms.accounting.privacy_loss import loss_epsilon
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon

TIGHT = 5e-5  # how much of itself epsilon may be too large


def one_step_delta(epsilon, s, q):
    """P(z > a) - exp(epsilon) Q(z > a) or Q(z < b) - exp(epsilon) P(z < b).

    log P/Q is epsilon at a and -epsilon at b.
    """
    a = s**2 * math.log((math.exp(epsilon) - 1 + q) / q) + 0.5
    remove = (1 - q) * ndtr(-a / s) + q * ndtr((1 - a) / s) - math.exp(epsilon) * ndtr(-a / s)
    if math.exp(-epsilon) <= 1 - q:
        return remove  # without the record no outcome is exp(epsilon) times as likely as with it
    b = s**2 * math.log((math.exp(-epsilon) - 1 + q) / q) + 0.5
    return max(
        remove, ndtr(b / s) - math.exp(epsilon) * ((1 - q) * ndtr(b / s) + q * ndtr((b - 1) / s))
    )


@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize(
    ("s", "steps"), [(1, 1), (5, 1), (0.3, 1), (0.8, 60), (10, 100), (0.3, 50), (30, 2000)]
)
def test_without_sampling_it_is_the_exact_gaussian_from_above(s, steps, delta):
    ours, exact = (
        loss_epsilon([(s, 1.0, steps)], delta),
        gaussian_epsilon(delta, s / math.sqrt(steps)),
    )
    assert exact <= ours <= exact * (1 + (TIGHT if delta >= 1e-6 else 1e-4)) + 1e-8


@settings(max_examples=30)
@given(st.floats(0.4, 5), st.floats(0.01, 0.99), st.sampled_from([1e-2, 1e-4, 1e-6]))
def test_one_step_is_the_closed_form_from_above(s, q, delta):
    ours = loss_epsilon([(s, q, 1)], delta)
    if one_step_delta(0, s, q) <= delta:
        assert ours <= 1e-8
    else:
        exact = optimize.brentq(
            lambda epsilon: one_step_delta(epsilon, s, q) - delta, 0, 100, xtol=1e-12
        )
        assert exact - 1e-9 <= ours <= exact * (1 + 1e-4) + 1e-7


@cache
def of_dp_accounting(*parts):
    """The accountant of the other library after these parts (noise multiplier, rate, steps)."""
    accountant = pld.PLDAccountant(value_discretization_interval=1e-4)
    for s, q, steps in parts:
        event = dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(s))
        accountant.compose(dp_accounting.SelfComposedDpEvent(event, steps))
    return accountant


@pytest.mark.parametrize("delta", [1e-5, 1e-6, 1e-8])
@pytest.mark.parametrize(
    ("s", "q", "steps"),
    [
        (0.8, 256 / 60_000, 14_063),
        (1.0, 256 / 36_177, 2_827),
        (1.0, 256 / 22_400, 1_750),
        (5.0, 0.1, 500),
    ],
)
def test_it_agrees_with_dp_accounting(s, q, steps, delta):
    assert loss_epsilon([(s, q, steps)], delta) == pytest.approx(
        of_dp_accounting((s, q, steps)).get_epsilon(delta), rel=1e-4
    )


def dp_accounting_epsilon(s, q, steps, delta, *, pessimistic):
    """A bound of epsilon from above, or from below if it is not pessimistic."""
    one = pld.privacy_loss_distribution.from_gaussian_mechanism(
        s,
        sampling_prob=q,
        value_discretization_interval=1e-4,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,
    )
    return one.self_compose(steps).get_epsilon_for_delta(delta)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize(("q", "steps"), [(0.02, 100), (0.3, 30)])
def test_the_calibrated_noise_is_enough_for_dp_accounting(epsilon, q, steps):
    """The other library agrees that the noise keeps epsilon, and a hundredth less does not."""
    s = noise_multiplier_for(epsilon, 1e-5, sampling_rate=q, steps=steps)
    above = dp_accounting_epsilon(s, q, steps, 1e-5, pessimistic=True)
    below = dp_accounting_epsilon(s * 0.99, q, steps, 1e-5, pessimistic=False)
    assert above <= epsilon * (1 + TIGHT)
    assert below > epsilon


def test_the_power_of_a_transform_is_that_of_every_place():
    """0.5 ** 2000 underflows to 0; the other powers are as NumPy computes them."""
    transform = np.array([1.0, 0.999, 0.5, -0.9j, 0.0])
    assert np.array_equal(privacy_loss._power(transform, 2000), transform**2000)
    assert privacy_loss._power(transform, 2000)[2] == 0
    assert np.array_equal(privacy_loss._power(transform, 0), np.ones(5))


def test_a_log_sum_keeps_numbers_outside_the_range_of_doubles():
    """Log(e^800 + e^800) = 800 + log 2, and an exponent of -inf adds nothing."""
    found = privacy_loss._log_sum(np.array([800.0, 800.0, -np.inf]))
    assert found == pytest.approx(800 + math.log(2), rel=1e-15)


def test_two_kinds_of_steps_agree_with_dp_accounting():
    parts = [(1.0, 0.01, 1000), (10.0, 0.01, 1000), (20.0, 1.0, 3)]
    theirs = of_dp_accounting(*parts).get_epsilon(1e-6)
    assert loss_epsilon(parts, 1e-6) == pytest.approx(theirs, rel=1e-4)


def test_parts_are_as_their_steps_one_by_one():
    apart = loss_epsilon([(1.5, 0.2, 30), (1.5, 0.2, 70)], 1e-5)
    assert apart == pytest.approx(loss_epsilon([(1.5, 0.2, 100)], 1e-5), rel=1e-9)


@settings(max_examples=30)
@given(st.floats(0.4, 5), st.floats(0.001, 0.999), st.integers(1, 200))
def test_sampling_never_costs_and_more_steps_do(s, q, steps):
    once, again = loss_epsilon([(s, q, steps)], 1e-5), loss_epsilon([(s, q, 2 * steps)], 1e-5)
    assert once <= again + 1e-9
    assert once <= gaussian_epsilon(1e-5, s / math.sqrt(steps)) * (1 + TIGHT) + 1e-8


def test_extreme_steps_keep_their_bounds():
    """Very little noise and rare sampling: with probability q almost everything is lost."""
    assert loss_epsilon([(0.02, 1e-7, 1)], 1e-6) < 1e-6
    assert 1000 < loss_epsilon([(0.02, 1e-3, 1)], 1e-6) < gaussian_epsilon(1e-6, 0.02)
    assert np.isfinite(loss_epsilon([(1000.0, 1e-4, 10)], 1e-6))


@pytest.mark.parametrize("delta", [0, 1, -0.1])
def test_a_delta_outside_zero_and_one_is_refused(delta):
    with pytest.raises(ValueError, match="delta must be between 0 and 1"):
        loss_epsilon([(1.0, 0.1, 10)], delta)


def test_a_delta_that_the_arithmetic_cannot_resolve_is_refused():
    with pytest.raises(
        ValueError,
        match="the accountant 'pld' needs a delta larger than 1e-12 for 14000 steps: use a larger ",
    ):
        loss_epsilon([(1.0, 0.01, 14_000)], 1e-12)
