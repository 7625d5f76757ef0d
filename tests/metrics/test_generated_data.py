"""Scores of generated records: by hand, against scikit-learn and fairlearn, and by counting."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from fairlearn import metrics as fairlearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import LinearSVC

from dpfair_cli.metrics.generated_data import balanced_error_rate, joint_distance, risk_difference


def column(*counts):
    """(X, protected) of one 0/1 column from (value, group, count) triples."""
    values, groups, people = (np.array(part) for part in zip(*counts, strict=True))
    return np.repeat(values, people)[:, None].astype(float), np.repeat(groups, people)


def test_the_balanced_error_rate_is_the_mean_over_groups_by_hand():
    """Equation 3.14: x is 1 for 160 of 200 in group 1 and 30 of 100 in group 0.

    The best rule is x itself, wrong for 40 / 200 and 30 / 100. Their mean is 1/4; the plain error
    rate would be 70 / 300.
    """
    X, protected = column((1, 1, 160), (0, 1, 40), (1, 0, 30), (0, 0, 70))
    assert balanced_error_rate(X, protected) == pytest.approx((40 / 200 + 30 / 100) / 2)


def test_a_column_that_is_the_group_leaves_no_error():
    X, protected = column((1, 1, 60), (0, 0, 40))
    assert balanced_error_rate(X, protected) == pytest.approx(0)
    assert balanced_error_rate(1 - X, protected) == pytest.approx(0)


def test_identical_records_have_a_balanced_error_rate_of_one_half():
    """All records are put in one group: 1 and 0 wrong; the plain error rate would be 1/10."""
    assert balanced_error_rate(np.ones((100, 3)), np.arange(100) % 10 // 9) == pytest.approx(1 / 2)


def test_the_balanced_error_rate_is_that_of_scikit_learns_linear_svm():
    rng = np.random.default_rng(0)
    protected = rng.integers(0, 2, 3000)
    X = (
        rng.random((3000, 6)) < 0.5 + 0.12 * (2 * protected[:, None] - 1) * [1, 1, 1, 0.5, 0, 0]
    ).astype(float)
    output = LinearSVC(random_state=0).fit(X, protected).predict(X)
    expected = 1 - balanced_accuracy_score(protected, output)
    assert 0.2 < expected < 0.45
    assert balanced_error_rate(X, protected) == pytest.approx(expected, abs=0.02)


def test_the_balanced_error_rate_is_symmetric_and_repeats():
    rng = np.random.default_rng(1)
    protected = rng.integers(0, 2, 1000)
    X = np.column_stack([protected ^ (rng.random(1000) < 0.2), rng.integers(0, 2, 1000)]).astype(
        float
    )
    assert balanced_error_rate(X, protected) == balanced_error_rate(X, protected)
    assert balanced_error_rate(X, 1 - protected) == pytest.approx(
        balanced_error_rate(X, protected), abs=1e-9
    )
    assert 0.15 < balanced_error_rate(X, protected) < 0.25


def test_the_risk_difference_by_hand():
    """2 of 4 against 3 of 4; which of the groups has more does not matter."""
    y, protected = np.array([1, 1, 0, 0, 1, 1, 1, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 1])
    assert risk_difference(y, protected) == pytest.approx(3 / 4 - 2 / 4)
    assert risk_difference(y, 1 - protected) == pytest.approx(3 / 4 - 2 / 4)
    assert risk_difference(np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1])) == 0


@given(st.lists(st.integers(0, 1), min_size=4, max_size=40))
@settings(max_examples=25)
def test_the_risk_difference_is_fairlearns_parity_difference(labels):
    y, protected = np.array(labels), np.arange(len(labels)) % 3 // 2
    expected = fairlearn.demographic_parity_difference(y, y, sensitive_features=protected)
    assert risk_difference(y, protected) == pytest.approx(expected)


def counted(ours, theirs):
    """The distance by counting rows one by one."""
    one, two = (Counter(map(tuple, table.tolist())) for table in (ours, theirs))
    return sqrt(sum((one[cell] / len(ours) - two[cell] / len(theirs)) ** 2 for cell in one | two))


def test_the_distance_of_a_half_and_a_quarter_by_hand():
    """(1/2, 1/2) against (3/4, 1/4): the root of 2/16; the numbers of rows may differ."""
    ours, theirs = np.array([[0], [1]]), np.array([[0], [0], [0], [1]])
    assert joint_distance(ours, theirs) == pytest.approx(sqrt(2) / 4)
    assert joint_distance(theirs, ours) == pytest.approx(sqrt(2) / 4)


def test_tables_with_equal_marginals_have_the_distance_of_their_cells():
    """Four cells with 1/2 each in one of the tables: the root of 4/4; marginals are equal."""
    ours, theirs = np.array([[0, 0], [1, 1]]), np.array([[0, 1], [1, 0]])
    assert joint_distance(ours, theirs) == pytest.approx(1)


def test_two_single_people_who_differ_are_the_farthest_apart():
    assert joint_distance(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])) == pytest.approx(sqrt(2))


def test_minus_zero_is_the_same_cell_as_zero():
    """The bytes of the rows are compared, and those of -0.0 and 0.0 differ."""
    ours, theirs = np.array([[-0.0, 1.0], [0.0, 1.0]]), np.array([[0, 1]])
    assert joint_distance(ours, theirs) == 0


def test_columns_in_memory_one_after_another_give_the_same_distance():
    table = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert joint_distance(np.asfortranarray(table), np.asfortranarray(table[::-1])) == 0


def test_order_and_multiplicity_of_rows_do_not_count():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (200, 4))
    assert joint_distance(table, table[rng.permutation(200)]) == pytest.approx(0, abs=1e-12)
    assert joint_distance(table, np.vstack([table, table])) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("columns", [1, 3, 58])
def test_the_distance_of_random_tables_is_that_of_counting(columns):
    """58 columns, as the features of Adult with the label: no cell may be taken for another one."""
    rng = np.random.default_rng(columns)
    ours, theirs = rng.integers(0, 2, (300, columns)), rng.integers(0, 2, (500, columns))
    theirs[:200] = ours[:200]
    theirs[:50, -1] = 1 - theirs[:50, -1]
    assert joint_distance(ours, theirs) == pytest.approx(counted(ours, theirs))
    assert counted(ours, theirs) > 0.01


def test_inputs_are_not_changed():
    X, y, protected = np.array([[0.0], [1.0]] * 4), np.array([0, 1] * 4), np.array([0, 0, 1, 1] * 2)
    before = X.copy(), y.copy(), protected.copy()
    balanced_error_rate(X, protected)
    risk_difference(y, protected)
    joint_distance(X, X[::-1])
    for array, old in zip((X, y, protected), before, strict=True):
        np.testing.assert_array_equal(array, old)
