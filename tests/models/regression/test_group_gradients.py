"""Clipped gradients of log-loss with a pull by group, and counts of decisions."""

import numpy as np
import pytest

from dpfair_cli.models.regression.group_gradients import (
    RecordInputs,
    clipped_gradient,
    decision_histogram,
)

NO_PULLS = np.zeros((3, 2))


def given(Z, y, groups):
    """Inputs whose gradients are clipped by their norms."""
    return RecordInputs(Z, y, groups, np.linalg.norm(Z, axis=1))


def some_inputs(n=12, p=4, seed=0, size=1.0):
    """Inputs of n records in three groups, with both labels."""
    rng = np.random.default_rng(seed)
    return given(size * rng.normal(size=(n, p)), np.arange(n) % 2, np.arange(n) % 3)


def one(z, y=1, group=0):
    return given(np.array([z], dtype=float), np.array([y]), np.array([group]))


def record_gradient(inputs, i, w, pulls):
    """The gradient of the loss of record i by central differences, to about 1e-9."""

    def loss(w):
        score = inputs.Z[i] @ w
        sign = 2 * inputs.y[i] - 1
        probability = 1 / (1 + np.exp(-score))
        return np.log1p(np.exp(-sign * score)) + pulls[inputs.groups[i], inputs.y[i]] * probability

    steps = 1e-5 * np.eye(len(w))
    return np.array([(loss(w + step) - loss(w - step)) / 2e-5 for step in steps])


@pytest.mark.parametrize("clip_norm", [0.2, 0.7, 100.0])
def test_the_sum_is_that_of_clipped_finite_differences(clip_norm):
    inputs, rng = some_inputs(), np.random.default_rng(1)
    w, pulls = rng.normal(size=4), rng.normal(size=(3, 2))
    expected = np.zeros(4)
    for i in range(12):
        gradient = record_gradient(inputs, i, w, pulls)
        expected += gradient * min(1.0, clip_norm / np.linalg.norm(gradient))
    found = clipped_gradient(inputs, w=w, pulls=pulls, clip_norm=clip_norm)
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_one_record_by_hand():
    """At w = 0 the gradient of (3, 4) with label 1 is -(3, 4) / 2, whose norm is 5/2."""
    options = {"w": np.zeros(2), "pulls": NO_PULLS}
    free = clipped_gradient(one([3, 4]), **options, clip_norm=3.0)
    assert free == pytest.approx([-1.5, -2.0])
    assert clipped_gradient(one([3, 4]), **options, clip_norm=1.0) == pytest.approx([-0.6, -0.8])
    assert clipped_gradient(one([3, 4], y=0), **options, clip_norm=3.0) == pytest.approx([1.5, 2.0])


def test_a_pull_belongs_to_one_group_and_label():
    """A pull of 2 adds 2 s (1 - s) = 1/2 to the slope -1/2 of log-loss at the score 0."""
    pulls = np.zeros((3, 2))
    pulls[1, 1] = 2.0
    slopes = [
        clipped_gradient(one([1], y, group), w=np.zeros(1), pulls=pulls, clip_norm=9.0)[0]
        for y, group in ((1, 1), (0, 1), (1, 0))
    ]
    assert slopes == pytest.approx([0.0, 0.5, -0.5])


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_a_record_moves_the_sum_by_at_most_the_clipping_bound(size):
    inputs, rng = some_inputs(size=size), np.random.default_rng(2)
    pulls = 50 * rng.normal(size=(3, 2))
    for i in range(12):
        rest = np.delete(np.arange(12), i)
        fewer = inputs.take(rest)
        options = {"w": rng.normal(size=4), "pulls": pulls, "clip_norm": 0.5}
        move = clipped_gradient(inputs, **options) - clipped_gradient(fewer, **options)
        assert np.linalg.norm(move) <= 0.5 * (1 + 1e-9)


@pytest.mark.filterwarnings("error")
def test_extreme_scores_and_inputs_of_zeros_give_finite_gradients():
    for w in (np.array([1e5]), np.array([-1e5])):
        found = clipped_gradient(one([1]), w=w, pulls=NO_PULLS + 3, clip_norm=1.0)
        assert found == pytest.approx([0.0 if w[0] > 0 else -1.0])
    assert clipped_gradient(one([0]), w=np.ones(1), pulls=NO_PULLS, clip_norm=1.0).tolist() == [0]


def test_the_histogram_counts_groups_labels_and_decisions():
    """Scores 1, 0, -1, 2: the score 0 is decision 0, and group 2 has no record."""
    inputs = given(
        np.array([[1.0], [0.0], [-1.0], [2.0]]), np.array([1, 1, 0, 1]), np.array([0, 0, 1, 0])
    )
    found = decision_histogram(inputs, w=np.ones(1), group_count=3)
    assert found.tolist() == [[[0, 0], [1, 2]], [[1, 0], [0, 0]], [[0, 0], [0, 0]]]


def test_no_record_has_no_gradient_and_no_count():
    nothing = given(np.zeros((0, 2)), np.zeros(0, int), np.zeros(0, int))
    found = clipped_gradient(nothing, w=np.ones(2), pulls=NO_PULLS, clip_norm=1.0)
    assert found.tolist() == [0.0, 0.0]
    assert decision_histogram(nothing, w=np.ones(2), group_count=3).tolist() == [[[0] * 2] * 2] * 3
