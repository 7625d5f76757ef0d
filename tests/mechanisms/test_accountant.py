"""The published epsilons of xu2021, chapter 9; budgets, joint releases, shuffled batches."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfair_cli.mechanisms.accounting.accountant import (
    NoisySteps,
    affordable_steps,
    cost,
    joint_multiplier,
    noise_multiplier_for,
    spent_epsilon,
)
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon

BATCH, DELTA = 256, 1e-6
ACCOUNTANTS = ["pld", "rdp", "moments"]
RUNS = {  # training records, epochs, sigma; the tables' data are split 80 to 20
    "mnist": (60_000, 60, 0.8),
    "mnist unbalanced": (54_649, 60, 0.8),
    "adult": (36_177, 20, 1.0),
    "adult balanced": (22_400, 20, 1.0),
    "dutch": (48_336, 20, 1.0),
    "dutch unbalanced": (32_000, 20, 1.0),
}


def run(name):
    records, epochs, sigma = RUNS[name]
    return NoisySteps(sigma, BATCH / records, math.ceil(epochs * records / BATCH))


def with_counts(name):
    """DPSGD and a release of counts at 10 sigma, each on other batches."""
    return [run(name), replace(run(name), noise_multiplier=10 * run(name).noise_multiplier)]


@pytest.mark.parametrize(
    ("name", "printed", "digits"),
    [
        ("mnist", 6.225, 3),
        ("mnist unbalanced", 6.550, 3),
        ("adult", 3.100, 3),
        ("adult balanced", 3.991, 3),
        ("dutch", 2.664, 3),
        ("dutch unbalanced", 3.286, 3),
    ],
)
def test_the_moments_accountant_gives_the_published_epsilons(name, printed, digits):
    """6.23, 6.55, 3.1, 3.99, 2.66 and 3.29 in the dissertation."""
    assert round(spent_epsilon([run(name)], DELTA, accountant="moments"), digits) == printed


def test_the_steps_are_epochs_times_records_over_batch_rounded_up():
    assert run("adult").steps == 2_827
    assert run("mnist").steps == 14_063


@pytest.mark.parametrize("name", RUNS)
def test_every_newer_accountant_gives_less(name):
    tight, improved, published = (
        spent_epsilon([run(name)], DELTA, accountant=name_) for name_ in ACCOUNTANTS
    )
    assert tight < improved < published


def test_a_release_on_the_same_batch_costs_more_than_on_another():
    """In xu2021 counts at 10 sigma cost about 0.01; on the gradients' batch they cost 0.073."""
    alone = spent_epsilon([run("mnist")], DELTA, accountant="moments")
    apart = spent_epsilon(with_counts("mnist"), DELTA, accountant="moments") - alone
    joint = replace(run("mnist"), noise_multiplier=joint_multiplier([0.8, 8]))
    assert apart == pytest.approx(0.0101, abs=5e-5)
    assert spent_epsilon([joint], DELTA, accountant="moments") - alone == pytest.approx(
        0.0734, abs=5e-5
    )


def test_steps_saved_for_counts_differ_from_the_published_ones():
    """Published: 22 on MNIST and 11 on Adult.

    At equal epsilon it is 51 and 15 (363 and 62 on common batches).
    """
    for name, apart, common in (("mnist", 51, 363), ("adult", 15, 62)):
        budget = spent_epsilon([run(name)], DELTA, accountant="moments")
        s = run(name).noise_multiplier
        joint = [replace(run(name), noise_multiplier=joint_multiplier([s, 10 * s]))]
        saved = [run(name).steps - affordable_steps(budget, DELTA, parts, accountant="moments")
                 for parts in (with_counts(name), joint)]  # fmt: skip
        assert saved == [apart, common]


def test_two_releases_on_one_batch_are_one_by_hand():
    assert joint_multiplier([3, 4]) == pytest.approx(12 / 5)
    assert joint_multiplier([2]) == 2
    assert joint_multiplier([1, math.inf]) == 1
    assert joint_multiplier([1, 0]) == 0
    assert joint_multiplier([]) == math.inf


def test_two_releases_on_one_batch_are_one_by_their_densities():
    """The losses of two noises on one batch and of the joint multiplier have the same moments."""
    q, s, t = 0.3, 1.5, 2.5
    x, y = (np.linspace(-12 * u, 12 * u + 1, 801) for u in (s, t))
    base = np.exp(-((x / s) ** 2)[:, None] / 2 - ((y / t) ** 2) / 2) / (2 * np.pi * s * t)
    ratio = 1 - q + q * np.exp(((2 * x - 1) / (2 * s**2))[:, None] + (2 * y - 1) / (2 * t**2))
    z, joint = np.linspace(-30, 31, 4001), joint_multiplier([s, t])
    line = np.exp(-((z / joint) ** 2) / 2) / (math.sqrt(2 * np.pi) * joint)
    single = 1 - q + q * np.exp((2 * z - 1) / (2 * joint**2))
    for order in (1.5, 2.0, 3.0):
        plane = (base * ratio**order).sum() * (x[1] - x[0]) * (y[1] - y[0])
        assert plane == pytest.approx((line * single**order).sum() * (z[1] - z[0]), rel=1e-9)


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@settings(max_examples=10)
@given(st.floats(0.5, 20), st.floats(0.02, 1), st.integers(1, 500))
def test_the_noise_for_a_budget_keeps_it_and_hardly_more(accountant, epsilon, rate, steps):
    found = noise_multiplier_for(
        epsilon, 1e-5, sampling_rate=rate, steps=steps, accountant=accountant
    )
    spent = [
        spent_epsilon([NoisySteps(found * part, rate, steps)], 1e-5, accountant=accountant)
        for part in (1, 0.999)
    ]
    assert spent[0] <= epsilon < spent[1]


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_the_noise_for_the_published_epsilon_is_the_published_noise(accountant):
    part = run("dutch")
    budget = spent_epsilon([part], DELTA, accountant=accountant)
    found = noise_multiplier_for(
        budget, DELTA, sampling_rate=part.sampling_rate, steps=part.steps, accountant=accountant
    )
    assert found == pytest.approx(1, rel=1e-4)


def test_noise_does_not_depend_on_earlier_calibrations():
    rate, steps = 0.02, 100
    cost.cache_clear()
    first = [noise_multiplier_for(e, DELTA, sampling_rate=rate, steps=steps) for e in (1.0, 2.0)]
    cost.cache_clear()
    last = [noise_multiplier_for(e, DELTA, sampling_rate=rate, steps=steps) for e in (2.0, 1.0)]
    assert first == last[::-1]


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_the_steps_for_a_budget_are_the_most(accountant):
    part = NoisySteps(1.0, 0.1, 1)
    steps = affordable_steps(2.0, 1e-5, [part], accountant=accountant)
    spent = [
        spent_epsilon([replace(part, steps=steps + more)], 1e-5, accountant=accountant)
        for more in (0, 1)
    ]
    assert spent[0] <= 2 < spent[1]


def test_no_steps_are_affordable_when_the_first_costs_too_much():
    assert affordable_steps(0.1, 1e-5, [NoisySteps(0.5, 1.0, 1)]) == 0


def test_no_noise_is_no_privacy_and_no_step_costs_nothing():
    assert spent_epsilon([NoisySteps(0, 0.1, 5)], DELTA) == math.inf
    assert spent_epsilon([NoisySteps(0, 0.1, 0)], DELTA) == 0
    assert spent_epsilon([NoisySteps(math.inf, 0.1, 5)], DELTA) == 0
    assert spent_epsilon([], DELTA) == 0
    assert noise_multiplier_for(math.inf, DELTA, sampling_rate=0.1, steps=5) == 0


# Shuffled batches.


def test_shuffled_batches_are_one_gaussian_release_a_pass():
    shuffled = NoisySteps(0.8, 1 / 235, 14_063, "shuffled")  # 59.8 passes: a record meets 60
    exact = gaussian_epsilon(DELTA, 0.8 / math.sqrt(60))
    assert exact <= spent_epsilon([shuffled], DELTA) <= exact * 1.0001
    assert spent_epsilon([replace(shuffled, sampling="poisson")], DELTA) < 6


@pytest.mark.parametrize("steps", [1, 3, 4, 5, 700, 7 * 10**6])
def test_a_pass_that_has_begun_counts_and_rounding_does_not(steps):
    part = NoisySteps(50.0, 1 / 7, steps, "shuffled")
    whole = NoisySteps(50.0, 1.0, -(-steps // 7))
    assert spent_epsilon([part], 1e-3, accountant="rdp") == spent_epsilon(
        [whole], 1e-3, accountant="rdp"
    )


def test_the_noise_for_shuffled_batches_is_that_of_the_passes():
    found = noise_multiplier_for(1.0, 1e-5, sampling_rate=0.1, steps=40, sampling="shuffled")
    assert found == pytest.approx(
        2 * noise_multiplier_for(1.0, 1e-5, sampling_rate=1, steps=1), rel=1e-4
    )


# What is refused.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, 0, 5), "sampling_rate must be positive, got 0"),
        ((1.0, 1.5, 5), "sampling_rate"),
        ((1.0, math.nan, 5), "sampling_rate"),
        ((-1.0, 0.5, 5), "noise_multiplier must be at least 0, got -1"),
        ((math.nan, 0.5, 5), "noise_multiplier"),
        ((1.0, 0.5, -1), "steps must be at least 0, got -1"),
        ((1.0, 0.5, 2.5), "steps"),
        ((1.0, 0.5, 5, "fixed"), "sampling 'fixed': there are: poisson, shuffled"),
    ],
)
def test_steps_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        NoisySteps(*arguments)


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@pytest.mark.parametrize("delta", [0, 1, -1e-6])
def test_a_delta_outside_zero_and_one_is_refused(accountant, delta):
    with pytest.raises(ValueError, match="delta must lie between 0 and 1"):
        spent_epsilon([run("adult")], delta, accountant=accountant)


@pytest.mark.parametrize("epsilon", [0, -1, math.nan])
def test_an_epsilon_that_is_not_positive_is_refused(epsilon):
    with pytest.raises(ValueError, match="epsilon must be positive"):
        noise_multiplier_for(epsilon, DELTA, sampling_rate=0.1, steps=5)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        affordable_steps(epsilon, DELTA, [run("adult")])


def test_a_budget_that_no_noise_meets_is_refused_with_a_way_out():
    message = "no noise gives epsilon 0.1 at delta 1e-06 by the moments accountant: take the pld"
    with pytest.raises(ValueError, match=message):
        noise_multiplier_for(0.1, DELTA, sampling_rate=0.01, steps=100, accountant="moments")
    assert noise_multiplier_for(0.1, DELTA, sampling_rate=0.01, steps=100) < 10


def test_a_budget_without_end_is_refused():
    for epsilon, sigma in ((math.inf, 1.0), (1.0, math.inf)):
        with pytest.raises(ValueError, match="any number of steps costs at most epsilon"):
            affordable_steps(epsilon, DELTA, [NoisySteps(sigma, 0.1, 1)])


def test_an_unknown_accountant_is_refused():
    with pytest.raises(ValueError, match="accountant 'gdp': did you mean 'rdp'"):
        spent_epsilon([run("adult")], DELTA, accountant="gdp")
