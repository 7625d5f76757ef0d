"""The central limit: the values of ficiu2023, and how far they are from an exact account."""

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from scipy.stats import norm

from dpfair_cli.mechanisms.accounting.accountant import (
    NoisySteps,
    central_limit_epsilon,
    spent_epsilon,
)

NUMERIC, ALL = (1 / 1954, 195_400), (1 / 1206, 120_600)
ROWS = [  # noise multiplier, (rate, steps), central limit of second-batch.md, section 1.3
    (7.0, NUMERIC, 0.09987),
    (1.07, NUMERIC, 0.99654),
    (0.48, NUMERIC, 9.8047),
    (9.0, ALL, 0.09856),
    (1.27, ALL, 0.99518),
    (0.51, ALL, 9.6758),
]


def by_hand(sigma, rate, steps, delta):
    """The root of delta(epsilon) = Phi(m/2 - e/m) - exp(e) Phi(-m/2 - e/m), by bisection."""
    m = rate * np.sqrt(steps * (np.exp(sigma**-2) - 1))
    low, high = 0.0, 100.0
    for _ in range(200):
        e = (low + high) / 2
        value = norm.cdf(m / 2 - e / m) - np.exp(e + norm.logcdf(-m / 2 - e / m))
        low, high = (e, high) if value > delta else (low, e)
    return high


@pytest.mark.parametrize(("sigma", "plan", "limit"), ROWS)
def test_the_central_limit_is_the_root_by_bisection(sigma, plan, limit):
    found = central_limit_epsilon(NoisySteps(sigma, *plan), 1e-5)
    assert found == pytest.approx(by_hand(sigma, *plan, 1e-5), rel=1e-6)
    assert found == pytest.approx(limit, rel=1e-3)


def test_the_networks_have_the_epsilon_that_their_file_stores():
    """0.09563242107898842: 26,048 records in batches of 20, 20 epochs, noise multiplier 4.03."""
    steps = NoisySteps(4.03, 1 / 1303, 1303 * 20)
    assert central_limit_epsilon(steps, 1e-5) == pytest.approx(0.09563242107898842, abs=1e-9)


@pytest.mark.parametrize(
    ("sigma", "interval", "claimed", "kept"),
    [(7.0, 3e-6, 0.1, True), (1.07, 3e-5, 1.0, False), (0.48, 1e-4, 10.0, False)],
)
def test_an_exact_account_keeps_the_smallest_claim_only(sigma, interval, claimed, kept):
    """The other library rounds losses up to `interval`, so that its epsilon is a little larger."""
    ours = spent_epsilon([NoisySteps(sigma, *NUMERIC)], 1e-5)
    event = dp_accounting.PoissonSampledDpEvent(NUMERIC[0], dp_accounting.GaussianDpEvent(sigma))
    accountant = pld.PLDAccountant(value_discretization_interval=interval)
    accountant.compose(dp_accounting.SelfComposedDpEvent(event, NUMERIC[1]))
    other = accountant.get_epsilon(1e-5)
    assert ours <= other * (1 + 1e-6)
    assert ours == pytest.approx(other, rel=2e-3)
    assert (other <= claimed) == (ours <= claimed) == kept


def test_no_steps_cost_nothing_and_no_noise_costs_everything():
    assert central_limit_epsilon(NoisySteps(1.0, 0.1, 0), 1e-5) == 0
    assert central_limit_epsilon(NoisySteps(np.inf, 0.1, 5), 1e-5) == 0
    assert central_limit_epsilon(NoisySteps(0.0, 0.1, 5), 1e-5) == np.inf
