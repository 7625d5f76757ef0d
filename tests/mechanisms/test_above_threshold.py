"""The sparse vector technique: its textbook law, neighbours, and subsamples of the records."""

from functools import cache
from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy import stats
from scipy.stats import laplace

from dpfair_cli.mechanisms.above_threshold import above_threshold, amplified
from dpfair_cli.mechanisms.batches import Draw


def part(rate):
    return Draw(1, rate, "without_replacement")


def frequencies(values, n=30_000, *, sensitivity=1.0, epsilon=1.0, sampling_rate=1.0):
    options = {"sensitivity": sensitivity, "epsilon": epsilon, "draw": part(sampling_rate)}
    rng = np.random.default_rng(0)
    draws = [above_threshold(np.array(values), **options, rng=rng) for _ in range(n)]
    return np.bincount(draws, minlength=len(values) + 1)


def thresholds(unit):
    """The thresholds of an integral over the noise of scale 2 `unit`."""
    return np.linspace(-40, 40, 4_001) * unit


@cache
def below_threshold(value, unit):
    """The probability that a noisy value is below each of `thresholds`."""
    return laplace.cdf(thresholds(unit) - value, scale=4 * unit)


def law(values, sensitivity, epsilon):
    """P(index) of Dwork and Roth, Algorithm 1.

    The scale is 2 s / epsilon on the threshold and 4 s / epsilon on values.
    """
    grid = thresholds(sensitivity / epsilon)
    weight = laplace.pdf(grid, scale=2 * sensitivity / epsilon) * (grid[1] - grid[0])
    below = np.array([below_threshold(float(value), sensitivity / epsilon) for value in values])
    below = below.reshape(len(values), len(grid))
    places = []
    for k in range(len(values) + 1):
        passed = 1 - below[k] if k < len(values) else 1.0
        places.append(float((weight * np.prod(below[:k], axis=0) * passed).sum()))
    return np.array(places)


def shares(values, count=20_000, **options):
    rng = np.random.default_rng(0)
    places = [above_threshold(values, rng=rng, **options) for _ in range(count)]
    return np.bincount(places, minlength=len(values) + 1) / count


MANY = [*[-1.5] * 30, 0.5]


@pytest.mark.parametrize(
    "values", [[0.0], [1.0, -2.0, 0.5], [-1.0, -1.0], [], MANY], ids=lambda values: len(values)
)
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1.0, 1.0), (0.5, 3.0)])
def test_the_places_follow_the_textbook_law(values, sensitivity, epsilon):
    seen = shares(values, sensitivity=sensitivity, epsilon=epsilon, draw=part(1.0))
    np.testing.assert_allclose(
        seen, law(values, sensitivity, epsilon), atol=5 * np.sqrt(0.25 / 20_000)
    )


def test_one_value_is_above_as_often_as_the_law_of_the_two_noises_says():
    # sensitivity 1, epsilon 4: threshold Laplace(1/2), value 0.7 + Laplace(1); P by integrating
    # over the threshold
    t = np.linspace(-20, 20, 400_001)
    chance = np.trapezoid(
        stats.laplace.pdf(t, scale=0.5) * stats.laplace.sf(t, loc=0.7, scale=1.0), t
    )
    found = frequencies([0.7], epsilon=4)[0]
    assert stats.binomtest(int(found), 30_000, chance).pvalue > 0.01


@pytest.mark.parametrize("options", [{"epsilon": np.inf}, {"sensitivity": 0.0}])
def test_infinite_epsilon_and_zero_sensitivity_find_the_first_above_zero(options):
    assert frequencies([-1.0, 0.0, 0.1, 9.0], n=50, **options).tolist() == [0, 0, 50, 0, 0]
    assert frequencies([-1.0, -2.0], n=50, **options).tolist() == [0, 0, 50]  # there is none
    assert frequencies([], n=50, **options).tolist() == [50]


def test_that_law_keeps_its_promise_on_neighbours():
    for epsilon in (0.3, 1.0, 4.0):
        for old in product((-1.5, 0.0, 1.0), repeat=3):
            p = law(old, 1.0, epsilon)
            for move in product((-1, 1), repeat=3):
                q = law(np.add(old, move), 1.0, epsilon)
                assert np.abs(np.log(p / q)).max() <= epsilon * (1 + 1e-6)


def test_the_privacy_inequality_holds_for_many_queries_at_once():
    epsilon, n = 1.5, 30_000
    values, change = np.array([0.0, 1.0, -1.0, 0.5]), np.array([0.5, -0.5, 0.5, 0.5])
    p = frequencies(values + change, n, epsilon=epsilon) / n
    q = frequencies(values - change, n, epsilon=epsilon) / n
    # Hoeffding, failure 1e-6 an event
    slack = np.sqrt(np.log(1e6) / (2 * n)) * (1 + np.exp(epsilon))
    assert (p <= np.exp(epsilon) * q + slack).all()
    assert (q <= np.exp(epsilon) * p + slack).all()


def test_a_tenth_of_the_records_at_epsilon_ln_11_costs_ln_2():
    # 1 + (exp(ln 11) - 1) / 10 = 2
    assert amplified(np.log(2), 0.1) == pytest.approx(np.log(11))
    assert amplified(np.log(2), 1.0) == np.log(2)
    assert amplified(np.inf, 0.1) == np.inf


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_amplification_is_undone_by_the_formula_of_a_random_part(epsilon, rate):
    inner = amplified(epsilon, rate)
    assert log(1 + rate * (exp(inner) - 1)) == pytest.approx(epsilon)
    assert inner >= epsilon


def test_on_a_part_of_the_records_the_noise_is_that_of_the_larger_epsilon():
    values = [0.3, -0.5]
    seen = shares(values, sensitivity=1.0, epsilon=1.0, draw=part(0.2))
    np.testing.assert_allclose(
        seen, law(values, 1.0, amplified(1.0, 0.2)), atol=5 * np.sqrt(0.25 / 20_000)
    )


NAN = float("nan")
OUTSIDE = [
    *(({"epsilon": value}, "epsilon must be positive, got") for value in (0, -1, NAN)),
    *(({"sensitivity": value}, "sensitivity") for value in (-1, float("inf"), NAN)),
    *(({"draw": Draw(1, value)}, "sampling_rate must be ") for value in (0, 1.1, NAN)),
]


@pytest.mark.parametrize(("wrong", "message"), OUTSIDE, ids=str)
def test_what_is_out_of_range_is_refused(wrong, message):
    options = {"sensitivity": 1.0, "epsilon": 1.0} | wrong
    with pytest.raises(ValueError, match=message):
        above_threshold([1.0], **options, rng=np.random.default_rng(0))
