"""Clipping weights and the bounds of DPSGD-F against values worked by hand."""

import numpy as np

from dpfair_cli.models.training.descent import clipping_weights, group_bounds, long_and_other


def test_a_gradient_is_as_long_as_its_bound_at_most():
    assert clipping_weights(np.array([0.0, 0.5, 2.0]), 1.0).tolist() == [1.0, 1.0, 0.5]
    assert clipping_weights(np.array([4.0, 4.0]), np.array([1.0, 8.0])).tolist() == [0.25, 1.0]


def test_every_group_has_counts_of_long_and_other_gradients():
    counts = long_and_other(np.array([0, 0, 2, 0]), np.array([True, False, True, True]), 3)
    assert counts.tolist() == [[2.0, 1.0], [0.0, 0.0], [1.0, 0.0]]


def test_bounds_of_dpsgd_f_survive_counts_that_are_not_positive():
    """Counts below 0 are 0; a group has a record or more; no long gradient: equal shares."""
    assert group_bounds(np.array([[-5.0, 3.0], [-1.0, -2.0]]), 0.5, 8).tolist() == [1.0, 1.0]
    assert group_bounds(np.array([[-5.0, 3.0], [2.0, -2.0]]), 0.5, 8).tolist() == [
        0.5,
        0.5 * (1 + 1 / (2 / 8)),
    ]
    assert group_bounds(np.array([[0.5, -3.0], [2.0, 2.0]]), 1.0, 8).tolist() == [
        1 + 0.5 / 0.3125,
        1 + 0.5 / 0.3125,
    ]


def test_a_small_group_has_the_smallest_bound_in_39_of_100_steps():
    """On unbalanced MNIST, b^k of a group of 500 is Poisson with mean 256 * 500 / 54,649 = 2.34.

    Its noise has a standard deviation of 8: P(b^k + 8 z <= 0) = 0.387.
    """
    rng = np.random.default_rng(0)
    steps = 40_000  # the share has a standard error of 0.0024
    class_8 = rng.poisson(256 * 500 / 54_649, steps)  # all of its gradients are long
    long = np.stack([class_8, np.full(steps, 25)], axis=1)
    noisy = np.stack([long, np.zeros_like(long)], axis=2) + 8 * rng.standard_normal((steps, 2, 2))
    fallen = [group_bounds(counts, 1.0, 256)[0] == 1.0 for counts in noisy]
    assert abs(np.mean(fallen) - 0.387) < 3 * 0.0024
