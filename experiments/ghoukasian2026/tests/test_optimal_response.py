"""The reports of OPT, the rules of the script, and their scores, against numbers worked by hand."""

from __future__ import annotations

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from dpfair_cli import catalog
from dpfair_cli.kinds.records import Domain
from dpfair_cli.papers.ghoukasian2026.methods import optimal_response, scaled_logistic
from dpfair_cli.papers.ghoukasian2026.models import reported_rule
from dpfair_cli.papers.ghoukasian2026.models.attribute_records import AttributeRecords
from dpfair_cli.papers.ghoukasian2026.models.data_unfairness import data_unfairness
from dpfair_cli.papers.ghoukasian2026.models.response_law import response_law
from dpfair_cli.papers.ghoukasian2026.tasks import group_gaps, report_unfairness


def people(n=400, seed=0):
    """Records with a number, an attribute of two groups and a text of three levels."""
    rng = np.random.default_rng(seed)
    level, town = rng.integers(2, size=n), rng.integers(3, size=n)
    number = rng.random(n)
    X = np.column_stack([number, np.eye(2)[level], np.eye(3)[town]])
    y = (rng.random(n) < 0.2 + 0.3 * level + 0.3 * number).astype(int)
    attributes = {"number": (0,), "level": (1, 2), "town": (3, 4, 5)}
    domain = Domain(tuple("abcdef"), attributes, ("0", "1"))
    return AttributeRecords(X, y, level, domain, randomised=("level",), protected_attribute="level")


def reports(monkeypatch, records, **settings):
    """The reports that the regression is fitted to, (n,)."""
    seen = []
    monkeypatch.setattr(optimal_response, "fitted", lambda reported, law: seen.append(reported))
    optimal_response.fit.__wrapped__(records, rng=np.random.default_rng(1), **settings)
    assert (np.delete(seen[0].X, (1, 2), axis=1) == np.delete(records.X, (1, 2), axis=1)).all()
    return seen[0].X[:, 1:3].argmax(axis=1)


@pytest.mark.parametrize("rarer", ["0", "1"])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_opt_keeps_the_rarer_level_and_tosses_a_coin_for_the_other(monkeypatch, epsilon, rarer):
    records = people(60_000)
    level = records.protected
    found = reports(monkeypatch, records, epsilon=epsilon, response="optimal", rarer=rarer)
    rare = level == int(rarer)
    kept = (found == level)[rare].mean(), (found == level)[~rare].mean()
    np.testing.assert_allclose(kept, [1 - exp(-epsilon) / 2, 0.5], atol=0.012)  # 4 deviations


def test_symmetric_reports_keep_both_levels_alike(monkeypatch):
    records = people(60_000)
    found = reports(monkeypatch, records, epsilon=1.0, response="symmetric", rarer="0")
    for level in (0, 1):
        own = records.protected == level
        assert (found == level)[own].mean() == pytest.approx(exp(1) / (1 + exp(1)), abs=0.012)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_the_two_steps_are_the_response_of_the_theorem(epsilon):
    """Exact: randomised response and the change of reports give 1/2 and 1 - exp(-epsilon) / 2."""
    p = exp(epsilon) / (1 + exp(epsilon))
    kept = 1 - (1 - exp(-epsilon)) / 2
    assert p * kept == pytest.approx(1 / 2)
    assert 1 - (1 - p) * kept == pytest.approx(1 - exp(-epsilon) / 2)


def test_no_privacy_leaves_the_level_of_the_rarer_group(monkeypatch):
    records = people()
    found = reports(monkeypatch, records, epsilon=float("inf"), response="optimal", rarer="1")
    assert (found[records.protected == 1] == 1).all()


@pytest.mark.parametrize("weights", ["equal", "fairbalance"])
def test_the_rule_is_that_of_scikit_learn_on_the_columns_of_the_script(weights):
    records = people()
    numbers = StandardScaler().fit_transform(records.X[:, [0, 2]])
    X = np.hstack([numbers, records.X[:, 3:]])
    factors = reported_rule.balanced_weights(records) if weights == "fairbalance" else None
    wanted = LogisticRegression(tol=1e-10, max_iter=10_000).fit(X, records.y, factors)
    rule = scaled_logistic.fit(records, weights=weights, rng=np.random.default_rng(0))
    margin = records.X @ rule.weights + rule.intercept
    np.testing.assert_allclose(margin, wanted.decision_function(X), atol=1e-6)


def test_a_rule_without_the_attribute_does_not_read_it():
    rule = scaled_logistic.fit(people(), attribute="left out", rng=np.random.default_rng(0))
    assert (rule.weights[1:3] == 0).all()
    assert (rule.weights[[0, 3]] != 0).all()


def test_weights_of_fairbalance_by_hand():
    records = people(6)
    protected, y = np.array([0, 0, 0, 1, 1, 1]), np.array([1, 0, 0, 1, 1, 0])
    few = replace(records, y=y, protected=protected)
    np.testing.assert_allclose(
        reported_rule.balanced_weights(few), [1.5, 0.75, 0.75, 0.75, 0.75, 1.5]
    )


def test_labels_of_one_kind_give_a_constant_rule():
    records = people(20)
    rule = reported_rule.fitted(replace(records, y=np.ones(20, dtype=int)))
    assert (rule.predict(records) == 1).all()


def test_scores_by_hand():
    records = people(8)
    X = records.X.copy()
    X[:, 0] = [0.9, 0.8, 0.2, 0.1, 0.9, 0.1, 0.2, 0.3]
    known = replace(
        records,
        X=X,
        y=np.array([1, 1, 0, 0, 1, 1, 0, 0]),
        protected=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
    )
    rule = reported_rule.ReportedRule(np.array([1.0, 0, 0, 0, 0, 0]), -0.25)
    found = group_gaps.rates(rule, known)
    # group 0: rates 1 and 0; group 1: rates 1/2 and 1/2
    assert found["accuracy"] == 6 / 8
    assert found["equal_opportunity_difference"] == 0.5
    assert found["average_odds_difference"] == 0.0
    assert found["auc"] == roc_auc_score(known.y, X[:, 0])


def test_the_gap_of_labels_by_hand():
    records = people(8)
    X = records.X.copy()
    X[:, 1:3] = np.eye(2)[[0, 0, 0, 0, 1, 1, 1, 1]]
    known = replace(records, X=X, y=np.array([1, 0, 0, 0, 1, 1, 1, 0]))
    assert reported_rule.fitted(known).label_gap == 0.5


def test_splits_keep_the_shares_of_groups_and_labels():
    records = people(1000)
    case = group_gaps.split(records, rng=np.random.default_rng(3))
    assert len(case.train) + len(case.test) == 1000
    for group in (0, 1):
        for label in (0, 1):
            own = ((records.protected == group) & (records.y == label)).sum()
            held = ((case.test.protected == group) & (case.test.y == label)).sum()
            assert held == int(own * 0.3)


@pytest.mark.parametrize("response", ["optimal", "symmetric"])
@pytest.mark.parametrize("rarer", ["0", "1"])
def test_the_law_is_that_of_the_drawn_reports(monkeypatch, response, rarer):
    records = people(60_000)
    found = reports(monkeypatch, records, epsilon=1.0, response=response, rarer=rarer)
    law = response_law(1.0, response, int(rarer))
    np.testing.assert_allclose(law.sum(axis=1), 1)
    assert np.abs(np.log(law[0] / law[1])).max() == pytest.approx(1.0)  # tight
    for level in (0, 1):
        drawn = np.bincount(found[records.protected == level], minlength=2)
        np.testing.assert_allclose(drawn / drawn.sum(), law[level], atol=0.012)  # 4 deviations


def test_a_rule_has_the_law_of_what_it_read():
    records, rng = people(), np.random.default_rng(0)
    truth = scaled_logistic.fit(records, rng=rng).law
    silence = scaled_logistic.fit(records, attribute="left out", rng=rng).law
    assert truth.tolist() == [[1, 0], [0, 1]]
    assert data_unfairness(silence, np.array([[0.3, 0.1], [0.2, 0.4]])) == 0
    own = optimal_response.fit(records, epsilon=2.0, rarer="1", rng=rng).law
    assert own.tolist() == response_law(2.0, "optimal", 1).tolist()


def test_no_other_response_that_uses_the_whole_of_epsilon_has_less_data_unfairness():
    """Brute force over a grid of responses that are true with probabilities of at least 1/2.

    That they use the whole of epsilon is our reading: uniform reports have no data unfairness.
    """
    epsilon, shares = 1.0, np.array([[0.2, 0.1], [0.2, 0.5]])  # level 0 is rarer
    least = data_unfairness(response_law(epsilon, "optimal", 0), shares)
    tried = []
    for kept in np.linspace(0.5, 1, 501):
        for other in np.linspace(0.5, 1, 501):
            law = np.array([[kept, 1 - kept], [1 - other, other]])
            with np.errstate(divide="ignore"):
                loss = np.abs(np.log(law[0] / law[1])).max()
            if abs(loss - epsilon) < 0.005:
                tried.append(data_unfairness(law, shares))
    assert len(tried) > 100
    assert min(tried) > least - 0.002


def test_the_task_counts_levels_and_labels_of_all_records():
    records = people(500)
    study = catalog.study("report_unfairness")
    case = study.split(records, rng=np.random.default_rng(0))
    rule = scaled_logistic.fit(case.train, rng=np.random.default_rng(0))
    share = records.y.mean()
    given = [records.y[records.protected == level].mean() for level in (0, 1)]
    expected = max(abs(value - share) for value in given) / share
    assert report_unfairness.score(rule, case)["data_unfairness"] == pytest.approx(expected)


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 8.0])
def test_the_two_mechanisms_differ_by_a_factor_of_share_and_epsilon(epsilon):
    """The factor (1 + q (e - 1)) / (e - q (e - 1)), worked by hand."""
    shares = np.array([[0.2, 0.1], [0.2, 0.5]])
    q, e = 0.3, exp(epsilon)
    optimal, symmetric = (
        data_unfairness(response_law(epsilon, response, 0), shares)
        for response in ("optimal", "symmetric")
    )
    assert optimal / symmetric == pytest.approx((1 + q * (e - 1)) / (e - q * (e - 1)))
