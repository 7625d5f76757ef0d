"""Clipping weights and the bounds of DPSGD-F against values worked by hand."""

import numpy as np

from dpfair_cli.models.training.clipping import clipping_weights, group_bounds, long_and_other


def test_a_gradient_is_as_long_as_its_bound_at_most():
    assert clipping_weights(np.array([0.0, 0.5, 2.0]), 1.0).tolist() == [1.0, 1.0, 0.5]
    assert clipping_weights(np.array([4.0, 4.0]), np.array([1.0, 8.0])).tolist() == [0.25, 1.0]


def test_every_group_has_its_long_gradients_and_the_others_also_one_that_nobody_is_in():
    counts = long_and_other(np.array([0, 0, 2, 0]), np.array([True, False, True, True]), 3)
    assert counts.tolist() == [[2.0, 1.0], [0.0, 0.0], [1.0, 0.0]]


def test_bounds_of_dpsgd_f_survive_counts_that_are_not_positive():
    """Below 0 counts as 0; a group is at least one record; if no gradient is long all have the same share."""
    assert group_bounds(np.array([[-5.0, 3.0], [-1.0, -2.0]]), 0.5, 8).tolist() == [1.0, 1.0]
    assert group_bounds(np.array([[-5.0, 3.0], [2.0, -2.0]]), 0.5, 8).tolist() == [0.5, 0.5 * (1 + 1 / (2 / 8))]
    assert group_bounds(np.array([[0.5, -3.0], [2.0, 2.0]]), 1.0, 8).tolist() == [
        1 + 0.5 / 0.3125,
        1 + 0.5 / 0.3125,
    ]
