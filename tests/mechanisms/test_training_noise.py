"""The noise of a training run keeps its budget with every accountant; a given one is checked."""

import math
from dataclasses import replace

import pytest

from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, joint_multiplier, spent_epsilon
from dpfair_cli.mechanisms.accounting.training_noise import NOTHING, spending, training_noise

BATCHES = NoisySteps(math.inf, 256 / 36_177, 500)


def noise(calibration="pld", epsilon=1.0, delta=1e-6, noise_multiplier=1.0, **options):
    return training_noise(
        calibration, epsilon, delta, noise_multiplier=noise_multiplier, batches=BATCHES, **options
    )


@pytest.mark.parametrize("calibration", ["pld", "rdp", "moments"])
def test_the_noise_found_is_the_least_that_keeps_the_budget(calibration):
    found = noise(calibration)
    for factor, kept in ((1.0, True), (0.999, False)):
        part = replace(BATCHES, noise_multiplier=factor * found)
        assert (spent_epsilon([part], 1e-6, accountant=calibration) <= 1.0) == kept


def test_a_better_accountant_needs_less_noise():
    assert noise("pld") < noise("rdp") < noise("moments")


def test_counts_on_the_same_batch_are_paid_for():
    alone, beside = noise(), noise(count_noise_ratio=2.0)
    assert joint_multiplier((beside, 2 * beside)) == pytest.approx(alone)
    assert beside == pytest.approx(alone * math.sqrt(1.25))


def test_infinite_epsilon_means_no_noise_at_all():
    assert noise(epsilon=math.inf) == noise("given", epsilon=math.inf) == 0.0


def test_a_given_noise_is_taken_as_it_is_if_it_keeps_the_budget():
    assert noise("given", epsilon=3.1, noise_multiplier=1.0) == 1.0
    with pytest.raises(
        ValueError, match=r"at most epsilon 1, but with `noise_multiplier` 0.5 costs epsilon"
    ):
        noise("given", noise_multiplier=0.5)


@pytest.mark.parametrize("excess", [1e-4, 1e-9])
def test_a_given_noise_that_costs_a_hair_more_is_refused(excess):
    """A claim of 1 is not kept by 1.0001."""
    spent = spent_epsilon([replace(BATCHES, noise_multiplier=1.0)], 1e-6)
    assert noise("given", epsilon=spent, noise_multiplier=1.0) == 1.0
    with pytest.raises(ValueError, match="costs epsilon"):
        noise("given", epsilon=spent / (1 + excess), noise_multiplier=1.0)


@pytest.mark.parametrize("calibration", ["pld", "given"])
def test_no_noise_for_a_finite_epsilon_is_refused(calibration):
    with pytest.raises(ValueError, match="must be positive if epsilon is finite, got 0"):
        noise(calibration, noise_multiplier=0.0)


def test_papers_count_releases_on_one_batch_as_on_two_which_costs_less():
    found = spending(BATCHES, 1e-6, (10.0, 1.0))
    apart = [replace(BATCHES, noise_multiplier=multiplier) for multiplier in (10.0, 1.0)]
    assert found.published == spent_epsilon(apart, 1e-6, accountant="moments")
    joint = replace(BATCHES, noise_multiplier=joint_multiplier((10.0, 1.0)))
    assert found.together("moments") == spent_epsilon([joint], 1e-6, accountant="moments")
    assert found.published < found.together("moments") < 1.02 * found.published
    assert found.after(250).together("pld") < found.together("pld") < found.together("rdp")


def test_nothing_released_and_nothing_hidden_have_no_epsilon():
    assert math.isnan(NOTHING.published)
    assert math.isnan(spending(BATCHES, 1e-6, (0.0,)).together("pld"))
