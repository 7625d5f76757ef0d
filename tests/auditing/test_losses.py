"""The change of a query and the privacy loss of releases, worked by hand."""

from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pytest

from dpfair_cli.auditing.losses import privacy_loss, query_change
from dpfair_cli.mechanisms.gaussian import gaussian_epsilon
from dpfair_cli.mechanisms.ledger import Release


def tape(*scales, mechanism="laplace"):
    return [Release(mechanism, np.zeros(1), np.zeros(1), 1.0, scale) for scale in scales]


def test_laplace_losses_add_up():
    assert privacy_loss(tape(2.0, 4.0), [1.0, 3.0], 0.0) == 1 / 2 + 3 / 4


def test_no_change_costs_nothing_and_no_noise_costs_everything():
    assert privacy_loss(tape(0.0, 1.0), [0.0, 0.0], 0.0) == 0
    assert privacy_loss(tape(0.0), [1e-12], 0.0) == inf
    assert privacy_loss(tape(0.0, mechanism="gaussian"), [1.0], 1e-3) == inf
    assert privacy_loss([], [], 0.0) == 0


def test_gaussian_losses_are_those_of_one_joint_gaussian():
    joint = privacy_loss(tape(3.0, 4.0, mechanism="gaussian"), [0.6, 1.6], 1e-3)  # ratios 0.2 and 0.4
    assert joint == pytest.approx(gaussian_epsilon(1e-3, 1 / sqrt(0.2**2 + 0.4**2)))
    mixed = privacy_loss([*tape(2.0), *tape(5.0, mechanism="gaussian")], [1.0, 2.0], 1e-3)
    assert mixed == pytest.approx(1 / 2 + gaussian_epsilon(1e-3, 2.5))


def test_scores_of_the_exponential_mechanism_count_as_far_as_they_move_apart():
    a = Release("exponential", np.array([0.0, 1.0]), 0, 1.0, 2.0)
    assert query_change(a, replace(a, value=np.array([0.5, -1.0]))) == 1.25  # +0.5 and -2: half of 2.5
    assert query_change(a, replace(a, value=a.value + 7)) == 0  # the law does not change
    assert privacy_loss([a], [1.25], 0.0) == 1.25  # exp(0.5 / 2) against exp(-2 / 2)


def test_changes_are_measured_in_the_norm_of_the_mechanism():
    a = Release("laplace", np.zeros(2), np.zeros(2), 1.0, 1.0)
    b = replace(a, value=np.array([3.0, -4.0]))
    assert query_change(a, b) == 7
    assert query_change(replace(a, mechanism="gaussian"), replace(b, mechanism="gaussian")) == 5
