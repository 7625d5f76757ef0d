"""The sparse vector technique against its textbook law, integrated numerically, and its privacy on neighbours."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy.stats import laplace

from dpfair_cli.mechanisms.above_threshold import above_threshold, amplified


def law(values, sensitivity, epsilon):
    """P(place) of Dwork and Roth, Algorithm 1: scale 2 s / epsilon on the threshold, 4 s / epsilon on values."""
    threshold, noise = laplace(scale=2 * sensitivity / epsilon), laplace(scale=4 * sensitivity / epsilon)
    grid = np.linspace(-40, 40, 4_001) * sensitivity / epsilon
    weight = threshold.pdf(grid) * (grid[1] - grid[0])
    below = np.array([noise.cdf(grid - value) for value in values]).reshape(len(values), len(grid))
    places = []
    for k in range(len(values) + 1):
        passed = 1 - below[k] if k < len(values) else 1.0
        places.append(float((weight * np.prod(below[:k], axis=0) * passed).sum()))
    return np.array(places)


def frequencies(values, count=20_000, **options):
    rng = np.random.default_rng(0)
    places = [above_threshold(values, rng=rng, **options) for _ in range(count)]
    return np.bincount(places, minlength=len(values) + 1) / count


@pytest.mark.parametrize("values", [[0.0], [1.0, -2.0, 0.5], [-1.0, -1.0], []], ids=str)
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1.0, 1.0), (0.5, 3.0)])
def test_the_places_follow_the_textbook_law(values, sensitivity, epsilon):
    seen = frequencies(values, sensitivity=sensitivity, epsilon=epsilon, sampling_rate=1.0)
    np.testing.assert_allclose(seen, law(values, sensitivity, epsilon), atol=5 * np.sqrt(0.25 / 20_000))


def test_that_law_keeps_its_promise_on_neighbours():
    for epsilon in (0.3, 1.0, 4.0):
        for old in product((-1.5, 0.0, 1.0), repeat=3):
            for move in product((-1, 1), repeat=3):
                p, q = law(old, 1.0, epsilon), law(np.add(old, move), 1.0, epsilon)
                assert np.abs(np.log(p / q)).max() <= epsilon * (1 + 1e-6)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_amplification_is_undone_by_the_formula_of_a_random_part(epsilon, rate):
    inner = amplified(epsilon, rate)
    assert log(1 + rate * (exp(inner) - 1)) == pytest.approx(epsilon)
    assert inner >= epsilon


def test_on_a_part_of_the_records_the_noise_is_that_of_the_larger_epsilon():
    values = [0.3, -0.5]
    seen = frequencies(values, sensitivity=1.0, epsilon=1.0, sampling_rate=0.2)
    np.testing.assert_allclose(seen, law(values, 1.0, amplified(1.0, 0.2)), atol=5 * np.sqrt(0.25 / 20_000))


def test_without_noise_it_is_the_first_above_zero():
    options = {"sensitivity": 1.0, "epsilon": np.inf, "sampling_rate": 1.0, "rng": np.random.default_rng(0)}
    assert above_threshold([-1.0, 0.2, 3.0], **options) == 1
    assert above_threshold([-1.0, -2.0], **options) == 2
    assert above_threshold([], **options) == 0


NAN = float("nan")
OUTSIDE = [
    *({"epsilon": value} for value in (0, -1, NAN)),
    *({"sensitivity": value} for value in (-1, float("inf"), NAN)),
    *({"sampling_rate": value} for value in (0, 1.1, NAN)),
]


@pytest.mark.parametrize("wrong", OUTSIDE, ids=str)
def test_what_is_out_of_range_is_refused(wrong):
    options = {"sensitivity": 1.0, "epsilon": 1.0, "sampling_rate": 1.0} | wrong
    with pytest.raises(ValueError, match=next(iter(wrong)).split("_")[-1]):
        above_threshold([1.0], **options, rng=np.random.default_rng(0))
