"""The best of a random number of tries: its law, its privacy loss, and the number of tries."""

from __future__ import annotations

import math
from bisect import bisect
from collections import Counter

import numpy as np
import pytest

from dpfair_cli.mechanisms.private_choice import FACTOR, best_of_random_tries


def law(outputs, g):
    """The probability of each output (score, name) of the choice, summed over the number of tries.

    `outputs` has the probability of each output of one try. Among equal scores the first try wins.
    """
    found, k = {}, np.arange(1, 2000)
    for (score, name), q in outputs.items():
        a = sum(p for (other, _), p in outputs.items() if other <= score)
        b = sum(p for (other, _), p in outputs.items() if other < score)
        series = g * (1 - g) ** (k - 1) * (a**k - b**k)
        found[score, name] = series.sum() * q / (a - b)
    return found


def neighbours(rng, epsilon, size):
    """The probabilities of outputs of a try on two neighbours, with the privacy loss epsilon."""
    keys = [(float(score), f"y{i}") for i, score in enumerate(rng.integers(size, size=size))]
    first = rng.dirichlet(np.ones(size) * rng.choice([0.1, 1.0])) + 1e-6  # never 0
    first /= first.sum()
    tilt = first * np.exp(epsilon * rng.choice([-0.5, 0.5], size=size))  # with its norm: epsilon
    return dict(zip(keys, first, strict=True)), dict(zip(keys, tilt / tilt.sum(), strict=True))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("mean_tries", [1, 2, 10, 100])
def test_a_choice_costs_at_most_three_times_a_try(epsilon, mean_tries):
    rng = np.random.default_rng(0)
    for _ in range(60):
        ours, theirs = (law(one, 1 / mean_tries) for one in neighbours(rng, epsilon, 5))
        for key, p in ours.items():
            if p > 1e-12:
                assert abs(math.log(p / theirs[key])) <= FACTOR * epsilon + 1e-9


def test_a_choice_can_cost_nearly_three_times_a_try():
    """A rare best output, and mostly a worse one: no smaller factor would be right."""
    epsilon, rare, rarest = 0.5, 1e-6, 1e-9
    ours = {(1.0, "y"): rarest, (2.0, "best"): rare, (0.0, "worst"): 1 - rare - rarest}
    up = math.exp(epsilon)
    theirs = {
        (1.0, "y"): rarest / up,
        (2.0, "best"): rare * up,
        (0.0, "worst"): 1 - rare * up - rarest / up,
    }
    g = 1e-9

    def chance(outputs):  # the closed form; a sum of the series would be too long
        a = 1 - outputs[2.0, "best"]
        b = outputs[0.0, "worst"]
        return g * outputs[1.0, "y"] / ((g * a + 1 - a) * (g * b + 1 - b))

    assert 2.9 * epsilon < math.log(chance(ours) / chance(theirs)) <= FACTOR * epsilon


@pytest.mark.parametrize("mean_tries", [1, 2, 10, 50])
@pytest.mark.parametrize("delta", [1e-3, 0.02])
def test_a_delta_is_multiplied_by_the_mean_number_of_tries(mean_tries, delta):
    """Of tries that fail with the probability delta, by the hockey-stick divergence."""
    rng, epsilon = np.random.default_rng(4), 0.3
    for place in [*rng.integers(-1, 6, size=20)]:  # the score of what only one neighbour has
        ours, theirs = neighbours(rng, epsilon, 5)
        ours = {key: (1 - delta) * p for key, p in ours.items()}
        ours[float(place), "only ours"] = delta
        theirs = {key: (1 - delta) * p for key, p in theirs.items()}
        theirs[float(rng.integers(-1, 6)), "only theirs"] = delta
        first, second = law(ours, 1 / mean_tries), law(theirs, 1 / mean_tries)
        for one, other in ((first, second), (second, first)):
            above = sum(
                max(p - math.exp(FACTOR * epsilon) * other.get(key, 0.0), 0.0)
                for key, p in one.items()
            )
            assert above <= mean_tries * delta + 1e-12


def test_a_delta_can_cost_nearly_the_mean_number_of_tries():
    """A rare failure with the best score: no smaller factor would be right."""
    delta, mean_tries = 1e-6, 10
    ours = {(0.0, "usual"): 1 - delta, (1.0, "only ours"): delta}
    found = law(ours, 1 / mean_tries)[1.0, "only ours"]
    assert 0.99 * mean_tries * delta < found <= mean_tries * delta


def test_the_law_of_the_choice_is_that_of_the_proof():
    outputs = {(0.0, "a"): 0.5, (1.0, "b"): 0.2, (1.0, "c"): 0.2, (2.0, "d"): 0.1}
    rng, keys, draws = np.random.default_rng(1), list(outputs), 40_000
    up_to = np.cumsum(list(outputs.values()))[:-1].tolist()  # a draw in less time than rng.choice
    found = Counter(
        best_of_random_tries(lambda: keys[bisect(up_to, rng.random())], mean_tries=4, rng=rng)
        for _ in range(draws)
    )
    for key, p in law(outputs, 1 / 4).items():
        assert found[key] / draws == pytest.approx(p, abs=5 * math.sqrt(p / draws))


@pytest.mark.parametrize("mean_tries", [1, 3, 8])
def test_the_number_of_tries_is_geometric_and_does_not_look_at_scores(mean_tries):
    rng, runs = np.random.default_rng(2), 20_000
    for score in (0.0, 1e9):
        tries = []

        def attempt(score=score, tries=tries):
            tries[-1] += 1
            return score, None

        for _ in range(runs):
            tries.append(0)
            best_of_random_tries(attempt, mean_tries=mean_tries, rng=rng)
        g = 1 / mean_tries
        for k in (1, 2, 5):
            p = g * (1 - g) ** (k - 1)
            assert tries.count(k) / runs == pytest.approx(p, abs=5 * math.sqrt(p / runs) + 1e-12)


def test_the_first_of_equal_scores_is_returned():
    rng = np.random.default_rng(3)
    for _ in range(20):
        names = iter(range(1000))
        assert (
            best_of_random_tries(lambda names=names: (1.0, next(names)), mean_tries=9, rng=rng)[1]
            == 0
        )


@pytest.mark.parametrize("mean_tries", [0, -1])
def test_a_mean_number_of_tries_is_positive(mean_tries):
    with pytest.raises(ValueError, match="mean_tries must be positive"):
        best_of_random_tries(
            lambda: (1.0, None), mean_tries=mean_tries, rng=np.random.default_rng(0)
        )


def test_a_score_that_is_not_a_number_is_refused():
    with pytest.raises(ValueError, match="must be a number"):
        best_of_random_tries(lambda: (math.nan, None), mean_tries=1, rng=np.random.default_rng(0))


@pytest.mark.parametrize("failing", range(1, 6))
@pytest.mark.parametrize("error", [ValueError, ArithmeticError, RuntimeError, math.nan])
def test_a_try_that_fails_ends_the_choice_whichever_it_is(failing, error):
    """The proof counts the failure as the largest score: no later try replaces it."""
    tries = []

    def attempt():
        tries.append(1.0)
        if len(tries) == failing and error is not math.nan:
            raise error("a failed try")
        return (math.nan if len(tries) == failing else 1.0), None

    expected = ValueError if error is math.nan else error
    with pytest.raises(expected, match=r"a failed try|must be a number"):
        best_of_random_tries(attempt, mean_tries=1000, rng=np.random.default_rng(0))
    assert len(tries) == failing
