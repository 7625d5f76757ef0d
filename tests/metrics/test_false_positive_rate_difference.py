"""The false positive rate difference: by hand, against fairlearn, and with empty groups."""

import numpy as np
import pytest
from fairlearn import metrics as fairlearn

from dpfair_cli.metrics import classification as ours


def gap(decision, y, protected):
    outputs, groups = np.array(decision, dtype=float), max(protected) + 1
    table = ours.tabulate(outputs, np.array(y), np.array(protected), groups=groups)
    return ours.false_positive_rate_difference(table)


def test_the_gap_by_hand_in_either_direction():
    """Label 0 with output 1: 2 of 4 in group 0, 1 of 4 in group 1; label 1 does not count."""
    y, protected = [0] * 8 + [1, 1], [0] * 4 + [1] * 4 + [0, 1]
    decision = [1, 1, 0, 0, 1, 0, 0, 0, 0, 1]
    assert gap(decision, y, protected) == pytest.approx(2 / 4 - 1 / 4)
    assert gap(decision, y, [1 - group for group in protected]) == pytest.approx(2 / 4 - 1 / 4)


def test_of_three_groups_it_is_the_largest_less_the_smallest():
    assert gap([1, 0, 1, 1, 0, 0], [0] * 6, [0, 0, 1, 1, 2, 2]) == pytest.approx(1)
    assert gap([1, 0, 1, 1, 1, 0], [0] * 6, [0, 0, 1, 1, 2, 2]) == pytest.approx(1 / 2)


def test_a_group_without_label_zero_makes_it_unmeasurable():
    assert np.isnan(gap([1, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 1, 1, 2]))
    assert np.isnan(gap([1, 0], [1, 1], [0, 1]))


def test_it_is_fairlearns():
    rng = np.random.default_rng(0)
    for groups in (2, 3):
        y, protected, decision = (
            rng.integers(0, 2, 200),
            rng.integers(0, groups, 200),
            rng.integers(0, 2, 200),
        )
        expected = fairlearn.MetricFrame(
            metrics=fairlearn.false_positive_rate,
            y_true=y,
            y_pred=decision,
            sensitive_features=protected,
        ).difference()
        assert gap(decision, y, protected) == pytest.approx(expected)
        assert expected > 0


def test_equalized_odds_is_the_larger_of_the_two_gaps():
    rng = np.random.default_rng(1)
    for _ in range(20):
        table = rng.integers(1, 50, (3, 2, 2)).astype(float)
        gaps = ours.equal_opportunity_difference(table), ours.false_positive_rate_difference(table)
        assert ours.equalized_odds_difference(table) == pytest.approx(max(gaps))
