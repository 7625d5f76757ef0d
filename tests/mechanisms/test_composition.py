"""Composition: never above the sum, and the step budget spends the whole and no more."""

import math
from fractions import Fraction

import pytest

from dpfair_cli.mechanisms.accounting.composition import composed_epsilon, step_epsilon


def test_without_delta_epsilons_add_up():
    assert composed_epsilon([0.5, 0.25], 0.0) == 0.75


def test_many_small_steps_cost_less_than_their_sum_by_hand():
    """10,000 steps of 0.01: rho = 0.5, so 0.5 + 2 sqrt(0.5 ln 1e5)."""
    assert composed_epsilon([0.01] * 10_000, 1e-5) == pytest.approx(
        0.5 + 2 * math.sqrt(0.5 * math.log(1e5))
    )


@pytest.mark.parametrize("delta", [1e-5, 0.1])
@pytest.mark.parametrize("steps", [1, 5, 60])
@pytest.mark.parametrize("ratio", [Fraction(11, 10), Fraction(2), Fraction(5)])
def test_randomised_responses_compose_to_no_more_in_exact_numbers(ratio, steps, delta):
    """No mechanism composes to more (Kairouz, Oh and Viswanath 2015, Theorem 3.3)."""
    joint = composed_epsilon([math.log(ratio)] * steps, delta)
    factor = Fraction(math.exp(joint)) * (1 - Fraction(1, 10**12))  # of a double
    spent = (
        sum(
            math.comb(steps, right) * max(0, ratio**right - factor * ratio ** (steps - right))
            for right in range(steps + 1)
        )
        / (1 + ratio) ** steps
    )
    assert spent <= Fraction(delta)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0, 400.0])
@pytest.mark.parametrize("steps", [1, 3, 201])
def test_the_step_budget_composes_to_the_whole(epsilon, steps):
    step = step_epsilon(epsilon, 1e-7, steps)
    assert composed_epsilon([step] * steps, 1e-7) == pytest.approx(epsilon)


def test_without_privacy_a_step_has_none():
    assert step_epsilon(math.inf, 1e-7, 5) == math.inf


def test_the_step_of_jagielski2019_composes_up_to_eight_logs():
    """epsilon / (4 sqrt(T ln(1/delta))) for 2 T steps: Status of dp_oracle_learner."""
    log = math.log(1e7)
    for epsilon, holds in ((8 * log * 0.99, True), (8 * log * 1.01, False), (400.0, False)):
        step = epsilon / (4 * math.sqrt(100 * log))
        assert (composed_epsilon([step] * 200, 1e-7) <= epsilon) == holds


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_an_epsilon_that_is_not_positive_is_refused(bad):
    with pytest.raises(ValueError, match="epsilon"):
        step_epsilon(bad, 1e-7, 3)
