"""The exponential mechanism against its definition (xu2021, Theorem 3 and Equation 3.4)."""

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.mechanisms.exponential import exponential


def frequencies(scores, n=30_000, **options):
    rng = np.random.default_rng(0)
    draws = [exponential(np.array(scores), rng=rng, **options) for _ in range(n)]
    return np.bincount(draws, minlength=len(scores))


@pytest.mark.parametrize("epsilon", [0, -1, np.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive, got"):
        exponential(np.zeros(3), sensitivity=1, epsilon=epsilon, rng=np.random.default_rng(0))


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1, np.inf), (0, 1)])
def test_infinite_epsilon_and_zero_sensitivity_choose_the_best(sensitivity, epsilon):
    counts = frequencies([0.0, 0.1, -3.0], n=200, sensitivity=sensitivity, epsilon=epsilon)
    assert counts.tolist() == [0, 200, 0]


def test_choices_have_the_probabilities_of_the_mechanism():
    # epsilon / (2 * sensitivity) = 3 / (2 * 1.5) = 1: weights 1, 2, 5
    counts = frequencies(np.log([1, 2, 5]), sensitivity=1.5, epsilon=3)
    assert stats.chisquare(counts, np.array([1, 2, 5]) / 8 * counts.sum()).pvalue > 0.01


def test_many_outcomes_have_the_probabilities_of_the_mechanism():
    # epsilon / (2 * sensitivity) = 1: weights 1, 2, ..., 40
    weights = np.arange(1, 41)
    counts = frequencies(np.log(weights), sensitivity=1.5, epsilon=3)
    assert stats.chisquare(counts, weights / weights.sum() * counts.sum()).pvalue > 0.01


@pytest.mark.parametrize("score", [0.0, -7.0])
def test_equal_scores_are_chosen_equally_often(score):
    """No order of the outcomes breaks a tie."""
    assert stats.chisquare(frequencies([score] * 4, sensitivity=1, epsilon=2)).pvalue > 0.01


def test_the_privacy_inequality_holds_on_two_neighbouring_inputs():
    epsilon, n = 1.2, 30_000
    p, q = (
        frequencies(s, n, sensitivity=1, epsilon=epsilon) / n
        for s in ([1.0, 0.0, 0.5], [0.0, 1.0, 1.5])
    )
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (
        1 + np.exp(epsilon)
    )  # Hoeffding, failure 1e-6 an event
    assert (p <= np.exp(epsilon) * q + slack).all()
    assert (q <= np.exp(epsilon) * p + slack).all()


def test_the_answer_is_an_index_and_large_scores_do_not_overflow():
    scores = np.array([1e8, 1e8 + 1000.0])
    answer = exponential(scores, sensitivity=1, epsilon=1, rng=np.random.default_rng(0))
    assert isinstance(answer, int)
    assert answer == 1
    assert scores.tolist() == [1e8, 1e8 + 1000.0]
