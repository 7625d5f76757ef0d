"""The scores of a regression for groups, against numbers by hand, scipy and a definition."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from dpfair_cli.papers.xian2024.models.score_errors import ks_distance, mean_squared_error


def test_mean_squared_error_is_that_worked_by_hand():
    assert mean_squared_error(np.array([1.0, 2.0]), np.array([0.0, 4.0])) == 2.5


@pytest.mark.parametrize(
    ("scores", "groups", "expected"),
    [
        ([0, 0, 1, 1], [0, 0, 1, 1], 1.0),
        ([0, 1, 0, 1], [0, 0, 1, 1], 0.0),
        ([0, 1, 1, 1, 0, 0], [0, 0, 1, 1, 2, 2], 1.0),
        ([0.5, 0.7], [3, 3], 0.0),
        ([], [], 0.0),
    ],
)
def test_ks_distance_is_that_worked_by_hand(scores, groups, expected):
    assert ks_distance(np.array(scores, dtype=float), np.array(groups, dtype=int)) == expected


def test_ks_distance_is_the_largest_of_the_pairs_by_scipy():
    rng = np.random.default_rng(3)
    scores, groups = rng.integers(0, 9, 200) / 8, rng.integers(0, 4, 200)
    pairs = combinations(range(4), 2)
    largest = max(ks_2samp(scores[groups == a], scores[groups == b]).statistic for a, b in pairs)
    assert ks_distance(scores, groups) == pytest.approx(largest)
