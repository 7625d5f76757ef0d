"""Independent fits of two neighbours: noise that was removed, or can be computed, is noticed."""

import copy
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pytest

from dpfair_cli.auditing.repeating import problems_of_repeated_fits
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.mechanisms.exponential import exponential
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.ledger import release
from tests.auditing.subjects import D

APART = "a number of the result always tells two neighbours apart"
TOLD = "the result holds the generator, or its state: the noise can be computed from it"
STALE = "the noise does not come from the generator: two fits have equal noise"


@dataclass(frozen=True, eq=False)
class Toy(NotSaved):
    """A noisy sum, and something else."""

    total: Any
    more: Any = None


def noisy(records, rng):
    return laplace(records.X.sum(axis=0), l1_sensitivity=D, epsilon=1.0, rng=rng)


def noise_subtracted_again(records, *, epsilon=1.0, rng):
    twin = copy.deepcopy(rng)
    return Toy(noisy(records, rng) - twin.laplace(scale=D, size=D))


def noise_averaged_out(records, *, epsilon=1.0, rng):
    """Released once, and used as if it had been a million times."""
    twin = copy.deepcopy(rng)
    total = noisy(records, rng)
    return Toy(total - twin.laplace(scale=D, size=D) * (1 - 1e-12))


def a_seed_made_from_the_data(records, *, epsilon=1.0, rng):
    return Toy(noisy(records, np.random.default_rng(int(1e6 * records.X.sum()))))


def a_seed_made_from_the_number_of_records(records, *, epsilon=1.0, rng):
    return Toy(noisy(records, np.random.default_rng(len(records))))


def the_largest_without_noise(records, *, epsilon=1.0, rng):
    total = records.X.sum(axis=0)
    return Toy(release("exponential", total, int(np.argmax(total)), sensitivity=1.0, scale=2.0))


def the_generator_in_the_result(records, *, epsilon=1.0, rng):
    return Toy(noisy(records, rng), rng)


def the_state_in_the_result(records, *, epsilon=1.0, rng):
    before = copy.deepcopy(rng.bit_generator.state)
    return Toy(noisy(records, rng), {"trained": {"with": before}})


def an_old_state_in_a_closure(records, *, epsilon=1.0, rng):
    state = np.random.RandomState(int(rng.integers(2**31)))
    return Toy(noisy(records, rng), lambda: state.uniform())


def postprocessing_that_is_random(records, *, epsilon=1.0, rng):
    total = noisy(records, rng)
    return Toy(total + rng.normal(size=D), rng.integers(9, size=3))


def a_yes_or_no(records, *, epsilon=1.0, rng):
    """Randomised response on whether most first features exceed one half: epsilon in one bit."""
    votes = np.array([0.0, np.clip((records.X[:, 0] > 0.5).sum() - len(records) / 2 + 0.5, 0, 1)])
    return Toy(exponential(votes, sensitivity=1.0, epsilon=2 * epsilon, rng=rng))


@pytest.mark.parametrize(
    ("fit", "problem"),
    [
        (noise_subtracted_again, APART),
        (noise_averaged_out, APART),
        (a_seed_made_from_the_data, APART),
        (a_seed_made_from_the_data, STALE),
        (a_seed_made_from_the_number_of_records, STALE),
        (the_largest_without_noise, APART),
        (the_generator_in_the_result, TOLD),
        (the_state_in_the_result, TOLD),
        (an_old_state_in_a_closure, TOLD),
    ],
)
def test_noise_that_is_taken_out_or_can_be_told_is_refuted(try_out, fit, problem):
    assert problem in try_out(fit).noise


@pytest.mark.parametrize("fit", [postprocessing_that_is_random, a_yes_or_no])
def test_what_is_random_on_its_own_raises_no_alarm(try_out, fit):
    assert try_out(fit).noise == ()


def answers(share):
    """A fit of a bit that says it with this probability."""
    return lambda bit, *, rng: Toy(float(bit if rng.random() < share else 1 - bit))


def alarms(fit, epsilon, audits):
    rng = np.random.default_rng(0)
    look = lambda tape: None  # noqa: E731
    return sum(
        bool(problems_of_repeated_fits(fit, 0, 1, epsilon=epsilon, rng=rng, look=look))
        for _ in range(audits)
    )


def test_the_most_telling_private_answer_is_no_alarm_and_a_better_one_is():
    """Randomised response uses all of epsilon; audited 2,000 times.

    A constant answer is found every time.
    """
    assert alarms(answers(np.e / (1 + np.e)), 1.0, 2000) == 0
    assert alarms(answers(1.0), 1.0, 20) == 20


def test_where_no_number_of_fits_can_tell_nothing_is_said():
    assert alarms(answers(1.0), 6.0, 3) == alarms(answers(1.0), inf, 3) == 0


def test_results_of_other_sizes_or_none_are_not_compared():
    def fit(bit, *, rng):
        if rng.random() < 0.5:
            raise ValueError("no")
        return Toy(np.ones(int(rng.integers(1, 9))) * bit)

    assert alarms(fit, 1.0, 50) == 0
