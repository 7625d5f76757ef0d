"""Noisy maxima are followed to the probabilities of each choice."""

from itertools import permutations
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from dpfair_cli.addons.foreign_audits.assertions import (
    NotPrivateError,
    assert_private,
    assert_zero_concentrated,
)
from dpfair_cli.addons.foreign_audits.noisy_scores import permute_and_flip
from dpfair_cli.addons.foreign_audits.tracked_noise import TrackedGenerator
from dpfair_cli.mechanisms.ledger import record
from tests.auditing import noisy_max

pytestmark = pytest.mark.usefixtures("fewer_runs")
SCORES = np.array([0.0, 1.5, -0.3, 1.0])
RELEASES = {
    "added": lambda rng: np.argmax(SCORES + rng.exponential(2.0, size=4)),
    "added to": lambda rng: (rng.exponential(scale=2.0, size=4) + SCORES).argmax(),
    "scaled": lambda rng: np.argmax(SCORES + 2 * rng.standard_exponential(4)),
    "divided": lambda rng: np.argmax(SCORES + rng.standard_exponential(4) / 0.5),
    "subtracted": lambda rng: np.argmin(-SCORES - rng.exponential(2.0, 4)),
}
NO_CHOICES = {
    "the wrong end": lambda rng: np.argmin(SCORES + rng.exponential(2.0, size=4)),
    "the values": lambda rng: SCORES + rng.exponential(2.0, size=4),
    "negative noise": lambda rng: np.argmax(SCORES + -2 * rng.standard_exponential(4)),
    "noise minus scores": lambda rng: np.argmax(rng.exponential(2.0, size=4) - SCORES),
    "several scales": lambda rng: np.argmax(SCORES + rng.exponential([1.0, 2, 3, 4])),
    "a part": lambda rng: np.argmax((SCORES + rng.exponential(2.0, size=4))[:2]),
    "noise about a place": lambda rng: np.argmax(SCORES + rng.gumbel(1.0, 2.0, size=4)),
    "one by another": lambda rng: 1 / rng.exponential(size=4) + 1,
}


@pytest.fixture
def rng():
    return TrackedGenerator(np.random.PCG64(0))


def enumerated(scores):
    """The probabilities of permute-and-flip: the mean over all orders of the candidates."""
    accepted, found = np.exp(np.array(scores) - max(scores)), np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for candidate in order:
            found[candidate] += left * accepted[candidate] / len(orders)
            left *= 1 - accepted[candidate]
    return found


@pytest.mark.parametrize("scores", [[0.0], [1.0, 0.0], [3.0, 1, 2, 2], [0, 0, 0, 0, -1.0], SCORES])
def test_permute_and_flip_is_the_mean_over_all_orders(scores):
    found = np.exp(permute_and_flip(np.array(scores)))
    np.testing.assert_allclose(found, enumerated(scores), rtol=1e-10)


def test_permute_and_flip_of_two_hundred_candidates_sums_to_1():
    scores = np.random.default_rng(0).normal(size=200)
    assert np.exp(permute_and_flip(scores)).sum() == pytest.approx(1, abs=1e-9)


def test_a_maximum_of_exponential_noise_is_permute_and_flip():
    rng = np.random.default_rng(1)
    chosen = np.argmax(SCORES / 2 + rng.exponential(size=(20_000, 4)), axis=1)
    expected = 20_000 * np.exp(permute_and_flip(SCORES / 2))
    assert stats.chisquare(np.bincount(chosen, minlength=4), expected).pvalue > 1e-3


@pytest.mark.parametrize("release", RELEASES.values(), ids=RELEASES)
def test_every_way_to_choose_is_one_release_of_its_probabilities(rng, release):
    with record() as tape:
        index = release(rng)
    (entry,) = tape
    assert (entry.mechanism, int(entry.output)) == ("choice", int(index))
    np.testing.assert_allclose(entry.value, np.log(enumerated(SCORES / 2)), rtol=1e-9)


def test_a_maximum_of_gumbel_noise_is_the_exponential_mechanism(rng):
    with record() as tape:
        np.argmax(SCORES + rng.gumbel(scale=2.0, size=4))
    (entry,) = tape
    assert (entry.mechanism, entry.scale) == ("exponential", 2.0)
    np.testing.assert_array_equal(entry.value, SCORES)


@pytest.mark.parametrize("release", NO_CHOICES.values(), ids=NO_CHOICES)
def test_what_is_no_choice_of_a_known_law_is_no_release(rng, release):
    plain = np.random.default_rng(np.random.PCG64(0))
    with record() as tape:
        found = release(rng)
    assert tape == []
    np.testing.assert_array_equal(found, release(plain))


SOUND = (noisy_max.by_gumbel_noise, noisy_max.by_exponential_noise, noisy_max.by_permute_and_flip)
BROKEN = (
    noisy_max.by_permute_and_flip_with_a_quarter_of_the_noise,
    noisy_max.by_exponential_noise_with_a_quarter_of_the_scale,
)


@pytest.mark.parametrize("function", SOUND)
def test_a_sound_noisy_maximum_passes(function):
    assert_private(function, epsilon=noisy_max.EPSILON, neighbours=noisy_max.PAIRS)


def test_exponential_noise_is_followed_to_the_largest_ratio_of_probabilities():
    # [0, 0] has 1/2 and 1/2; [1, -1] has exp(-2) / 2 for the second
    found = assert_private(
        noisy_max.by_exponential_noise, epsilon=2.0, neighbours=noisy_max.PAIRS[:1]
    )
    assert found.found == pytest.approx(-log(exp(-2)), rel=1e-9)


@pytest.mark.parametrize("function", BROKEN)
def test_a_quarter_of_the_noise_fails(function):
    with pytest.raises(NotPrivateError, match="is not private: it claims epsilon 2"):
        assert_private(function, epsilon=noisy_max.EPSILON, neighbours=noisy_max.PAIRS)


def test_permute_and_flip_at_the_cost_of_the_exponential_mechanism_fails():
    with pytest.raises(NotPrivateError, match=r"rho of at least 0\.[56]"):
        assert_zero_concentrated(
            noisy_max.by_permute_and_flip, rho=noisy_max.CLAIMED_RHO, neighbours=noisy_max.PAIRS
        )


@pytest.mark.parametrize(
    ("function", "rho"),
    [
        (noisy_max.by_permute_and_flip, noisy_max.TRUE_RHO),
        (noisy_max.by_gumbel_noise, noisy_max.CLAIMED_RHO),
    ],
)
def test_a_noisy_maximum_at_its_true_cost_passes(function, rho):
    assert_zero_concentrated(function, rho=rho, neighbours=noisy_max.PAIRS)
