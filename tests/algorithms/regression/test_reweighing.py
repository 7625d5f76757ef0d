"""Reweighing: weights by hand, repeated records, and equality with logistic regression."""

from dataclasses import replace

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import logistic_regression, reweighing
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression.logistic import independence_weights
from tests.algorithms.synthesis.made_tables import people, risk_difference


def table(counts, groups=("a", "b")):
    """Records with these counts of (group, label), and features correlated with label and group."""
    cells = np.repeat(np.arange(np.size(counts)), np.ravel(counts))
    protected, y = cells // 2, cells % 2
    rng = np.random.default_rng(0)
    X = np.clip(np.column_stack([y, protected]) * 0.4 + 0.6 * rng.random((len(y), 2)), 0, 1)
    return Records(X, y, protected, Domain(("x0", "x1"), {"x0": (0,), "x1": (1,)}, groups))


def fitted(method, records, **options):
    return method.fit(records, **options, rng=np.random.default_rng(0))


def test_the_weights_by_hand():
    """4 records of a (3 with y = 0), 6 of b (2): P(a) P(0) / P(a, 0) = 0.4 * 0.5 / 0.3 = 2/3."""
    records = table([[3, 1], [2, 4]])
    found = independence_weights(records)
    wanted = {(0, 0): 2 / 3, (0, 1): 2.0, (1, 0): 3 / 2, (1, 1): 3 / 4}
    np.testing.assert_allclose(
        found, [wanted[cell] for cell in zip(records.protected, records.y, strict=True)]
    )
    assert found.sum() == pytest.approx(10)


@pytest.mark.parametrize("counts", [[[3, 1], [2, 4]], [[30, 11], [5, 17], [8, 2]]])
def test_weighted_labels_are_independent_of_groups(counts):
    records = table(counts, ("a", "b", "c")[: len(counts)])
    weights = independence_weights(records)
    joint = np.zeros(np.shape(counts))
    np.add.at(joint, (records.protected, records.y), weights)
    np.testing.assert_allclose(joint.sum(axis=1), np.sum(counts, axis=1))
    np.testing.assert_allclose(joint.sum(axis=0), np.sum(counts, axis=0))
    np.testing.assert_allclose(
        joint, np.outer(np.sum(counts, axis=1), np.sum(counts, axis=0)) / np.sum(counts)
    )


def test_integer_weights_are_repeated_records():
    """(3, 1) and (1, 3) records: weights 2/3 and 2 are 2 and 6 copies, and penalty times 3."""
    records = table([[3, 1], [1, 3]])
    copies = np.repeat(np.arange(8), np.round(3 * independence_weights(records)).astype(int))
    ours = fitted(reweighing, records, l2=1.0)
    theirs = fitted(logistic_regression, records.take(copies), l2=3.0)
    np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-3)
    assert ours.intercept == pytest.approx(theirs.intercept, abs=1e-3)


@pytest.mark.parametrize("counts", [[[6, 3], [12, 6]], [[5, 5], [5, 5]]])
def test_for_independent_labels_it_is_plain_logistic_regression(counts):
    records = table(counts)
    np.testing.assert_allclose(independence_weights(records), 1)
    ours, plain = fitted(reweighing, records), fitted(logistic_regression, records)
    np.testing.assert_allclose(ours.weights, plain.weights, atol=1e-6)
    assert ours.intercept == pytest.approx(plain.intercept, abs=1e-6)


def test_it_takes_risk_difference_away_where_the_label_leans_to_a_group():
    records = people(4000)
    fair, plain = (
        fitted(method, records).predict(records) for method in (reweighing, logistic_regression)
    )
    assert risk_difference(plain, records.protected) > 0.1
    assert abs(risk_difference(fair, records.protected)) < 0.5 * risk_difference(
        plain, records.protected
    )


def test_a_group_without_records_of_a_label_is_refused():
    with pytest.raises(
        ValueError,
        match=(
            r"^every group must have records of both labels, but group 'b' has none with label "
            r"1$"
        ),
    ):
        fitted(reweighing, table([[3, 2], [4, 0]]))


def test_a_group_without_anybody_needs_no_weight():
    records = table([[3, 2], [4, 5]])
    three = replace(records.domain, groups=("a", "b", "nobody"))
    same = Records(records.X, records.y, records.protected, three)
    np.testing.assert_array_equal(independence_weights(same), independence_weights(records))


def test_one_class_alone_is_refused():
    with pytest.raises(
        ValueError,
        match=(r"^the records must have both labels, 0 and 1, got label 0 in all records$"),
    ):
        fitted(reweighing, table([[3, 0], [4, 0]]))
