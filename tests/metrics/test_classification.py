"""Scores of a classifier from counts, against fairlearn and scikit-learn."""

import numpy as np
import pytest
from fairlearn import metrics as fairlearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from dpfair_cli.metrics import classification as ours


@st.composite
def answers(draw):
    """(decision, y, protected) of two or three groups, each with both labels."""
    groups = draw(st.integers(2, 3))
    n = draw(st.integers(2 * groups, 40))
    y = np.arange(n) % 2
    protected = np.arange(n) // 2 % groups
    decision = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return np.array(decision, dtype=float), y, protected


def counts(decision, y, protected):
    codes = np.asarray(protected)
    groups = int(codes.max()) + 1
    return ours.tabulate(np.asarray(decision, dtype=float), np.asarray(y), codes, groups=groups)


SMALL = counts([1, 1, 0, 1, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1])


def test_counts_are_groups_by_labels_by_outputs():
    assert SMALL.tolist() == [[[1, 1], [0, 2]], [[2, 0], [1, 1]]]


def test_every_score_of_eight_people_by_hand():
    # group 0: 3 of 4 selected, 3 of 4 right, TPR 2/2, FPR 1/2; group 1: 1 of 4 selected, 3 of 4
    # right, TPR 1/2, FPR 0/2
    assert ours.accuracy(SMALL) == pytest.approx(6 / 8)
    assert ours.majority_accuracy(SMALL) == pytest.approx(4 / 8)
    assert ours.selection_rate(SMALL) == pytest.approx(4 / 8)
    assert ours.demographic_parity_difference(SMALL) == pytest.approx(3 / 4 - 1 / 4)
    assert ours.equal_opportunity_difference(SMALL) == pytest.approx(1 - 1 / 2)
    assert ours.equalized_odds_difference(SMALL) == pytest.approx(1 / 2)
    assert ours.accuracy_difference(SMALL) == pytest.approx(0)


def test_the_majority_is_the_larger_class_of_all_records():
    assert ours.majority_accuracy(
        counts([0, 0, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1])
    ) == pytest.approx(3 / 4)
    assert ours.majority_accuracy(
        counts([1, 1, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1])
    ) == pytest.approx(3 / 4)


@given(answers())
@settings(max_examples=25)
def test_scores_agree_with_fairlearn_and_scikit_learn(people):
    decision, y, protected = people
    table, groups = counts(*people), {"sensitive_features": protected}
    by_group = fairlearn.MetricFrame(metrics=accuracy_score, y_true=y, y_pred=decision, **groups)
    assert ours.accuracy(table) == pytest.approx(accuracy_score(y, decision))
    assert ours.selection_rate(table) == pytest.approx(fairlearn.selection_rate(y, decision))
    assert ours.accuracy_difference(table) == pytest.approx(by_group.difference())
    for name in (
        "demographic_parity_difference",
        "equal_opportunity_difference",
        "equalized_odds_difference",
    ):
        assert getattr(ours, name)(table) == pytest.approx(
            getattr(fairlearn, name)(y, decision, **groups)
        ), name


def test_a_randomised_rule_has_the_rates_of_its_average_sample():
    rng = np.random.default_rng(0)
    n, probability = 400, rng.random(400)
    y, protected = rng.integers(0, 2, n), rng.integers(0, 2, n)
    draws = np.mean(
        [counts(rng.random(n) < probability, y, protected) for _ in range(2000)], axis=0
    )
    exact = counts(probability, y, protected)
    np.testing.assert_allclose(
        exact, draws, atol=5 * np.sqrt(n / 4 / 2000)
    )  # 5 deviations of a mean of 2000
    assert ours.accuracy(exact) == pytest.approx(ours.accuracy(draws), abs=5e-3)
    assert ours.demographic_parity_difference(exact) == pytest.approx(
        ours.demographic_parity_difference(draws), abs=5e-3
    )


def test_a_fair_coin_is_half_right_and_perfectly_fair():
    coin = counts([0.5] * 4, [0, 1, 0, 1], [0, 0, 1, 1])
    assert ours.accuracy(coin) == pytest.approx(1 / 2)
    assert ours.selection_rate(coin) == pytest.approx(1 / 2)
    assert ours.equalized_odds_difference(coin) == pytest.approx(0)


def test_inputs_are_not_changed():
    decision, y, protected = np.array([0.3, 1.0]), np.array([0, 1]), np.array([0, 1])
    ours.tabulate(decision, y, protected, groups=2)
    assert (decision.tolist(), y.tolist(), protected.tolist()) == ([0.3, 1.0], [0, 1], [0, 1])


@pytest.mark.parametrize("empty", ["members", "positives", "negatives"])
def test_a_gap_that_needs_an_empty_group_cannot_be_measured(empty):
    """The last of the three groups has no record, none with label 1, or none with label 0."""
    y = [0, 1, 0, 1] + {"members": [], "positives": [0, 0], "negatives": [1, 1]}[empty]
    protected = [0, 0, 1, 1, 2, 2][: len(y)]
    table = ours.tabulate(np.ones(len(y)), np.array(y), np.array(protected), groups=3)
    measurable = {
        "demographic_parity_difference": empty != "members",
        "accuracy_difference": empty != "members",
        "equal_opportunity_difference": empty == "negatives",
        "false_positive_rate_difference": empty == "positives",
        "equalized_odds_difference": False,
        "equalized_odds_violation": False,
    }
    found = {name: not np.isnan(getattr(ours, name)(table)) for name in measurable}
    assert found == measurable
    assert not np.isnan([ours.accuracy(table), ours.selection_rate(table)]).any()
