"""The remover against its rule, record by record, and by hand."""

import numpy as np
import pytest

from dpfair_cli.papers.ficiu2023.models.impact_remover import repaired
from tests.oracles.reject import repaired_column


@pytest.mark.parametrize("seed", range(12))
def test_each_column_is_what_the_rule_says_record_by_record(seed):
    rng = np.random.default_rng(seed)
    n = 60
    groups = (rng.random(n) < 0.3).astype(int)
    X = np.stack(
        [rng.integers(0, 2, n), rng.integers(0, 9, n), rng.integers(0, 40, n), rng.random(n)],
        axis=1,
    )
    moved = repaired(X, groups, level=1.0)
    for column, found in zip(X.T, moved.T, strict=True):
        np.testing.assert_allclose(
            found, repaired_column(column.tolist(), groups.tolist()), atol=1e-12
        )


def test_five_against_three_values_by_hand():
    """The pieces of 1 2 3 4 5 start at 0, 2 (of 1.67) and 3 (of 3.33): 1 2 | 3 | 4 5."""
    X = np.array([[1.0], [2], [3], [4], [5], [10], [20], [30]])
    groups = np.array([0] * 5 + [1] * 3)
    assert repaired(X, groups, level=1.0).ravel().tolist() == [1, 1, 3, 4, 4, 1, 3, 4]


def test_half_a_level_moves_half_of_the_way():
    X = np.array([[0.0], [1.0], [0.5], [0.9]])
    groups = np.array([0, 0, 1, 1])
    assert repaired(X, groups, level=0.5).ravel().tolist() == pytest.approx([0.0, 0.95, 0.25, 0.9])


def test_level_zero_changes_nothing():
    X = np.random.default_rng(0).random((9, 2))
    assert repaired(X, np.arange(9) % 2, level=0.0) is X


def test_an_indicator_of_both_groups_stays_and_of_one_group_is_erased():
    both = np.array([[0.0], [1], [0], [1]])
    one = np.array([[0.0], [0], [0], [1]])
    groups = np.array([0, 0, 1, 1])
    assert repaired(both, groups, level=1.0).ravel().tolist() == [0, 1, 0, 1]
    assert repaired(one, groups, level=1.0).ravel().tolist() == [0, 0, 0, 0]


def test_one_record_decides_a_feature_of_all_others():
    """The counterexample to every epsilon: with her, the column of all husbands is kept."""
    husbands = np.ones((50, 1))
    others = np.zeros((50, 1))
    groups = np.array([1] * 60 + [0] * 40)
    without = repaired(np.vstack([husbands, others]), groups, level=1.0)
    her = repaired(np.vstack([husbands, others, [[1.0]]]), np.append(groups, 0), level=1.0)
    assert without.sum() == 0
    assert her.sum() == 51


def test_one_group_alone_is_not_moved():
    X = np.random.default_rng(1).random((9, 2))
    np.testing.assert_array_equal(repaired(X, np.zeros(9, dtype=int), level=1.0), X)
