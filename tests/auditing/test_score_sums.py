"""The bound from one training by the sum of scores: valid, and tighter than by guesses."""

from functools import partial
from itertools import product
from math import exp, inf, log

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from dpfair_cli.auditing.lower_bounds import (
    STEPS,
    guesses_and_weights,
    least_found,
    one_run_bound,
    one_run_p_value,
    score_sum_bound,
    score_sum_p_value,
)
from dpfair_cli.mechanisms.gaussian import analytic_sigma

CANARIES = 200
RUNS = 1000


def of_randomised_response(coins, rng):
    """Every canary has the whole privacy loss 1."""
    return np.where(rng.random(len(coins)) < exp(1) / (1 + exp(1)), coins, ~coins).astype(float)


def of_laplace(coins, rng):
    """Extreme scores have the privacy loss 1, those in the middle less."""
    return coins + rng.laplace(size=len(coins))


def of_gaussian(coins, rng):
    """The scores of a mechanism with (1, 1e-4)-DP: the analytic Gaussian mechanism."""
    return coins + rng.normal(scale=SIGMA, size=len(coins))


def of_revealed_coins(coins, rng):
    """Randomised response with loss 1 that reveals a coin with probability 1e-4."""
    noisy = of_randomised_response(coins, rng)
    return np.where(rng.random(len(coins)) < 1e-4, np.where(coins, 9.0, -9.0), noisy)


SIGMA = analytic_sigma(1.0, 1.0, 1e-4)
TRAININGS = {of_randomised_response: 0, of_laplace: 0, of_gaussian: 1e-4, of_revealed_coins: 1e-4}


@pytest.mark.parametrize("training", TRAININGS)
def test_in_a_thousand_runs_at_most_one_in_twenty_bounds_is_above_the_truth(training):
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(RUNS):
        coins = rng.random(CANARIES) < 0.5
        scores, delta = training(coins, rng), TRAININGS[training]
        guesses, weights = guesses_and_weights(scores)
        right = int(weights[guesses == coins].sum())
        # the bound is above 1 if and only if the p-value at 1 is below 0.05
        wrong += score_sum_p_value(right, weights, 1.0, delta) < 0.05
    print(f"{training.__name__}: {wrong} of {RUNS} bounds are above the truth")
    assert wrong <= stats.binom.ppf(0.999, RUNS, 0.05)


@pytest.mark.parametrize("scale", [0.25, 1.0])
def test_scores_give_larger_bounds_than_guesses(scale):
    rng, sums, counts = np.random.default_rng(1), [], []
    for _ in range(20):
        coins = rng.random(500) < 0.5
        scores = coins + rng.normal(scale=scale, size=500)
        sums.append(score_sum_bound(coins, scores, delta=0.0).epsilon)
        counts.append(one_run_bound(coins, scores, guesses=100, delta=0.0).epsilon)
    print(f"scale {scale}: by scores {np.mean(sums):.3f}, by guesses {np.mean(counts):.3f}")
    assert np.mean(sums) > 1.05 * np.mean(counts)


def test_the_law_of_a_sum_is_that_of_all_outcomes_of_its_coins():
    weights, p = np.array([3, 0, 1, 3]), 0.6
    chance = sum(
        np.prod([p if coin else 1 - p for coin in coins])
        for coins in product((0, 1), repeat=4)
        if np.dot(coins, weights) >= 4
    )
    found = score_sum_p_value(4, weights, log(p / (1 - p)), 0.0)
    assert found == pytest.approx(chance, rel=1e-12)


def test_equal_weights_give_the_p_value_of_right_guesses():
    weights = np.array([2] * 30 + [0] * 20)
    expected = one_run_p_value(22, 30, 50, 0.7, 0.0)
    assert score_sum_p_value(44, weights, 0.7, 0.0) == pytest.approx(expected, rel=1e-12)


def test_delta_is_paid_once_for_each_canary():
    weights = np.array([1] * 10)
    plain = score_sum_p_value(9, weights, 0.5, 0.0)
    assert score_sum_p_value(9, weights, 0.5, 1e-3) == pytest.approx(plain + 10e-3, rel=1e-12)


def test_weights_grow_with_the_distance_from_the_median():
    scores = np.arange(101.0)
    guesses, weights = guesses_and_weights(scores)
    assert guesses[51:].all()
    assert not guesses[:51].any()
    np.testing.assert_array_equal(weights, weights[::-1])
    assert (np.diff(weights[50:]) >= 0).all()
    assert (weights[50], weights[-1], (weights > 0).sum()) == (0, STEPS, 30)


def test_equal_distances_have_equal_weights():
    _, weights = guesses_and_weights(np.array([0.0, 1, 1, 0, 0, 1]))
    assert set(weights.tolist()) == {STEPS}
    assert score_sum_bound(np.arange(40) < 20, np.zeros(40), delta=0.0).epsilon == 0


@pytest.mark.parametrize("claimed", [0.5, 1.0, 2.0])
def test_half_of_the_audits_find_the_least_loss_at_which_guesses_are_right(claimed):
    rng, weights, shares = np.random.default_rng(3), normal_weights(), {}
    p_value = partial(score_sum_p_value, weights=weights, epsilon=claimed, delta=1e-6)
    least = least_found(p_value, int(weights.sum()))
    for factor in (0.85, 1.15):
        right = rng.random((200, len(weights))) < expit(factor * least)
        shares[factor] = np.mean([p_value(int(weights[one].sum())) <= 0.05 for one in right])
    assert shares[0.85] < 0.5 < shares[1.15]


def normal_weights():
    """The weights of 500 canaries with normal scores."""
    return guesses_and_weights(np.random.default_rng(0).normal(size=500))[1]


def test_nothing_is_found_where_canaries_times_delta_is_above_the_level():
    weights = normal_weights()
    p_value = partial(score_sum_p_value, weights=weights, epsilon=1.0, delta=2e-4)
    assert least_found(p_value, int(weights.sum())) == inf
    by_guesses = partial(one_run_p_value, guesses=100, canaries=500, epsilon=1.0, delta=2e-4)
    assert 1 < least_found(by_guesses, 100) < 2.5
