"""Fairness as linear functions of accuracies: against fairlearn, and against the definitions."""

import numpy as np
import pytest
from fairlearn import metrics as fairlearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from dpfair_cli.metrics import fairness_functions as ours


@st.composite
def answers(draw):
    """(decision, y, protected) of two or three groups, each with both labels."""
    groups = draw(st.integers(2, 3))
    n = draw(st.integers(2 * groups, 40))
    decision = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    return np.array(decision), np.arange(n) % 2, np.arange(n) // 2 % groups


def counted(decision, y, protected, labels=2):
    """People (groups, labels) and the accuracy of each cell, counted one by one."""
    groups = protected.max() + 1
    cells = [[(protected == s) & (y == label) for label in range(labels)] for s in range(groups)]
    people = np.array([[cell.sum() for cell in row] for row in cells], dtype=float)
    right = np.array(
        [(decision == y)[cell].mean() if cell.any() else 0.0 for row in cells for cell in row]
    )
    return people, right


def values(notion, decision, y, protected, labels=2):
    people, right = counted(decision, y, protected, labels)
    return ours.levels(ours.NOTIONS[notion](people), right)


@given(answers())
@settings(max_examples=25)  # fairlearn takes 50 ms of each
def test_the_spread_of_the_levels_is_fairlearns_difference(people):
    decision, y, protected = people
    groups = {"sensitive_features": protected}
    parity = values("demographic_parity", *people)
    assert np.ptp(parity) == pytest.approx(
        fairlearn.demographic_parity_difference(y, decision, **groups)
    )
    chance = values("equality_of_opportunity", *people)[1::2]
    assert np.ptp(chance) == pytest.approx(
        fairlearn.equal_opportunity_difference(y, decision, **groups)
    )
    odds = values("equalized_odds", *people).reshape(-1, 2)
    assert np.ptp(odds, axis=0).max() == pytest.approx(
        fairlearn.equalized_odds_difference(y, decision, **groups)
    )
    frame = fairlearn.MetricFrame(metrics=accuracy_score, y_true=y, y_pred=decision, **groups)
    assert np.ptp(values("accuracy_parity", *people)) == pytest.approx(frame.difference())


@given(answers())
@settings(max_examples=60)
def test_each_level_is_its_definition(people):
    decision, y, protected = people
    right, groups = decision == y, range(protected.max() + 1)
    wanted = {
        "accuracy_parity": [right[protected == s].mean() - right.mean() for s in groups],
        "demographic_parity": [decision[protected == s].mean() - decision.mean() for s in groups],
        "equalized_odds": [
            right[(protected == s) & (y == label)].mean() - right[y == label].mean()
            for s in groups
            for label in (0, 1)
        ],
        "equality_of_opportunity": [
            label * (right[(protected == s) & (y == 1)].mean() - right[y == 1].mean())
            for s in groups
            for label in (0, 1)
        ],
    }
    for notion, levels in wanted.items():
        np.testing.assert_allclose(values(notion, *people), levels, atol=1e-12, err_msg=notion)


@pytest.mark.parametrize("notion", ["equalized_odds", "equality_of_opportunity", "accuracy_parity"])
def test_three_labels_and_three_groups(notion):
    rng = np.random.default_rng(0)
    decision, y, protected = (rng.integers(0, 3, 300) for _ in range(3))
    right = decision == y
    cells = [(s, label) for s in range(3) for label in range(3)]
    wanted = {
        "accuracy_parity": [right[protected == s].mean() - right.mean() for s in range(3)],
        "equalized_odds": [
            right[(protected == s) & (y == k)].mean() - right[y == k].mean() for s, k in cells
        ],
        "equality_of_opportunity": [
            (right[(protected == s) & (y == k)].mean() - right[y == k].mean()) * (k == 2)
            for s, k in cells
        ],
    }
    np.testing.assert_allclose(
        values(notion, decision, y, protected, labels=3), wanted[notion], atol=1e-12
    )


def test_demographic_parity_needs_two_labels():
    with pytest.raises(ValueError, match=r"the labels must be 0 and 1.*got 3"):
        ours.demographic_parity(np.ones((2, 3)))


def test_the_slides_coefficients_of_equalized_odds_by_hand():
    # label 1: 10 records in group 0, 30 in group 1: P(s = 0 | y = 1) = 1/4
    C0, C = ours.equalized_odds(np.array([[5.0, 10.0], [15.0, 30.0]]))
    np.testing.assert_allclose(C0, 0)
    np.testing.assert_allclose(C[1], [0, 1 - 1 / 4, 0, -3 / 4])  # group 0, label 1
    np.testing.assert_allclose(C[3], [0, -1 / 4, 0, 1 - 3 / 4])  # group 1, label 1


def test_an_empty_cell_has_level_zero_and_no_weight():
    people = np.array([[0.0, 10.0], [5.0, 5.0]])
    C0, C = ours.equalized_odds(people)
    assert not C[0].any()
    np.testing.assert_allclose(
        C[2], 0
    )  # the only ones with label 0: no other record to differ from
    assert np.isfinite(ours.levels((C0, C), np.array([0, 0.5, 0.5, 0.5]))).all()


@pytest.mark.parametrize("notion", ours.NOTIONS)
def test_a_model_that_is_right_and_selects_alike_everywhere_is_fair(notion):
    people = np.array([[10.0, 10.0], [20.0, 20.0]])
    np.testing.assert_allclose(
        ours.levels(ours.NOTIONS[notion](people), np.full(4, 0.7)), 0, atol=1e-12
    )


def test_many_models_at_once_are_each_on_its_own():
    rng = np.random.default_rng(0)
    people, right = rng.integers(1, 9, (3, 2)).astype(float), rng.random((6, 4))
    for notion in ours.NOTIONS.values():
        together = ours.levels(notion(people), right)
        apart = np.column_stack([ours.levels(notion(people), column) for column in right.T])
        np.testing.assert_allclose(together, apart)
        np.testing.assert_allclose(ours.fair(together), np.abs(apart).mean(axis=0))
