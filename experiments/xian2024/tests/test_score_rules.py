"""Rules for scores: bins, moves between bins and quantile averages, on numbers by hand."""

import numpy as np
import pytest

from dpfair_cli.papers.xian2024.models.group_scores import GroupScores
from dpfair_cli.papers.xian2024.models.score_quantiles import QuantileAverages, quantile
from dpfair_cli.papers.xian2024.models.score_rules import (
    BinnedScores,
    Bins,
    GivenScores,
    MovedScores,
)


def data(scores, groups):
    values = np.array(scores, dtype=float)
    return GroupScores(values, values.copy(), np.array(groups), ("a", "b"), 0.0, 1.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_bins_have_equal_width_and_hold_scores_outside_the_range():
    bins = Bins(0.0, 1.0, 4)
    assert bins.middles.tolist() == [0.125, 0.375, 0.625, 0.875]
    assert bins.places(np.array([-9, 0, 0.24, 0.25, 0.5, 1, 9])).tolist() == [0, 0, 0, 1, 2, 3, 3]


def test_given_scores_stay_and_binned_scores_are_middles():
    known = data([0.1, 0.9], [0, 1])
    assert GivenScores().new_scores(known, rng=rng()).tolist() == [0.1, 0.9]
    assert BinnedScores(Bins(0, 1, 2)).new_scores(known, rng=rng()).tolist() == [0.25, 0.75]


def test_certain_moves_depend_on_the_group_and_the_bin():
    stay, swap = np.eye(2), np.eye(2)[::-1]
    rule = MovedScores(Bins(0, 1, 2), np.stack([stay, swap]))
    found = rule.new_scores(data([0.1, 0.9, 0.1, 0.9], [0, 0, 1, 1]), rng=rng())
    assert found.tolist() == [0.25, 0.75, 0.75, 0.25]


def test_random_moves_have_their_probabilities():
    rule = MovedScores(Bins(0, 1, 2), np.array([[[0.3, 0.7], [0, 1]]] * 2))
    found = rule.new_scores(data(np.zeros(10_000), np.zeros(10_000, dtype=int)), rng=rng())
    assert (found == 0.75).mean() == pytest.approx(0.7, abs=0.02)  # 4 standard errors


def test_quantiles_are_those_of_numpy_for_the_inverse_of_the_distribution():
    values, ranks = np.sort(rng(1).random(7)), np.linspace(0.01, 1, 50)
    expected = np.quantile(values, ranks, method="inverted_cdf")
    np.testing.assert_array_equal(quantile(values, ranks), expected)


def test_equal_ranks_get_the_weighted_mean_of_the_quantiles():
    ranking = (np.array([0.1, 0.2]), np.array([0.5, 0.6]))
    rule = QuantileAverages(ranking, ranking, np.array([0.25, 0.75]), 0.0)
    found = rule.new_scores(data([0.15, 0.55, 0.9, 0.9], [0, 1, 0, 1]), rng=rng())
    # Rank 1/2 is the first quantile of each group, rank 1 the last.
    assert found == pytest.approx([0.4, 0.4, 0.5, 0.5])


def test_a_group_without_known_scores_does_not_count():
    ranking = (np.array([0.1, 0.2]), np.zeros(0))
    rule = QuantileAverages(ranking, ranking, np.array([1.0, 0.0]), 0.0)
    assert rule.new_scores(data([0.3, 0.3], [0, 1]), rng=rng()).tolist() == [0.2, 0.1]
