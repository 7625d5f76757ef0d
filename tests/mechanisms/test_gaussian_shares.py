"""Shares of a Gaussian budget against the accountants of this package and of dp_accounting."""

import math

import dp_accounting
import pytest
from dp_accounting import pld

from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, joint_multiplier, spent_epsilon
from dpfair_cli.mechanisms.accounting.gaussian_shares import shared_multipliers
from dpfair_cli.mechanisms.gaussian import analytic_sigma, gaussian_delta

BUDGETS = [(0.1, 1e-6), (1.0, 1e-5), (8.0, 1e-3)]
SHARES = [(1.0,), (0.3, 0.7), (0.05, 0.25, 0.3, 0.4)]
every_budget = pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
every_share = pytest.mark.parametrize("shares", SHARES, ids=len)


def test_one_share_is_one_release_of_the_whole_budget():
    """A sensitivity of 1 at epsilon 1 and delta 1e-5 needs the deviation 3.73."""
    (multiplier,) = shared_multipliers(1.0, 1e-5, 1.0)
    assert multiplier == pytest.approx(3.7306, abs=1e-4)


def test_a_quarter_of_the_budget_has_twice_the_noise():
    whole = analytic_sigma(1.0, 2.0, 1e-6)
    found = shared_multipliers(2.0, 1e-6, 0.25, 0.75)
    assert found == pytest.approx([2 * whole, whole / math.sqrt(0.75)], rel=1e-9)


@every_budget
@every_share
def test_the_releases_together_cost_epsilon_and_no_more(epsilon, delta, shares):
    joint = joint_multiplier(shared_multipliers(epsilon, delta, *shares))
    assert gaussian_delta(epsilon, joint) <= delta * (1 + 1e-9)
    # privacy loss distributions round up
    assert spent_epsilon([NoisySteps(joint, 1.0, 1)], delta) == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize(("epsilon", "delta", "interval"), [(0.5, 1e-6, 1e-5), (3.0, 1e-4, 1e-4)])
def test_dp_accounting_finds_the_same_cost_of_all_releases(epsilon, delta, interval):
    """The other library rounds losses up to `interval`, so that its epsilon is a little larger."""
    accountant = pld.PLDAccountant(value_discretization_interval=interval)
    for multiplier in shared_multipliers(epsilon, delta, 0.1, 0.3, 0.6):
        accountant.compose(dp_accounting.GaussianDpEvent(multiplier))
    found = accountant.get_epsilon(delta)
    assert found == pytest.approx(epsilon, rel=1e-3)
    assert found >= epsilon * (1 - 1e-4)  # a smaller cost would waste budget


def test_an_infinite_epsilon_needs_no_noise():
    assert shared_multipliers(math.inf, 1e-6, 0.3, 0.7) == [0.0, 0.0]


@pytest.mark.parametrize(
    "shares",
    [(0.0, 1.0), (-0.5, 1.5), (0.5, 0.6), (0.5, 0.4), (0.5, 0.5 + 1e-6), (math.nan, 1.0)],
    ids=str,
)
def test_shares_that_are_no_parts_of_one_budget_are_refused(shares):
    for epsilon in (1.0, math.inf):
        with pytest.raises(ValueError, match="share"):
            shared_multipliers(epsilon, 1e-6, *shares)


def test_shares_with_a_rounding_error_are_not_refused():
    assert len(shared_multipliers(1.0, 1e-6, *[0.1] * 10)) == 10  # 0.1 * 10 adds to less than 1


@pytest.mark.parametrize(
    ("epsilon", "delta", "word"),
    [
        (0.0, 0.1, "epsilon"),
        (-1.0, 0.1, "epsilon"),
        (math.nan, 0.1, "epsilon"),
        (1.0, 0.0, "delta"),
        (1.0, 1.0, "delta"),
        (1.0, math.nan, "delta"),
    ],
)
def test_a_budget_that_is_none_is_refused(epsilon, delta, word):
    with pytest.raises(ValueError, match=word):
        shared_multipliers(epsilon, delta, 0.5, 0.5)


def test_no_share_at_all_is_refused():
    with pytest.raises(ValueError, match="share"):
        shared_multipliers(1.0, 1e-6)
