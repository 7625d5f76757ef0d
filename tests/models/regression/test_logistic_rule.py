"""Logistic regression with intercept and weights: against scikit-learn, scipy and by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression import logistic as logistic_rule
from dpfair_cli.models.regression.logistic import logistic, weighted_logistic


def crowd(n=400, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d))
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0.5).astype(np.int64)
    return records(X, y)


def records(X, y):
    columns = tuple(f"x{j}" for j in range(np.shape(X)[1]))
    domain = Domain(columns, {name: (j,) for j, name in enumerate(columns)}, ("a", "b"))
    return Records(
        np.asarray(X, dtype=float), np.asarray(y), np.zeros(len(X), dtype=np.int64), domain
    )


def loss(people, weights, l2, w, b):
    margins = (2 * people.y - 1) * (people.X @ w + b)
    return float(weights @ np.logaddexp(0, -margins) + l2 * w @ w / 2)


@pytest.mark.parametrize("l2", [100.0, 1.0, 0.01])
def test_the_loss_is_not_above_that_of_two_other_solvers(l2):
    people, rng = crowd(), np.random.default_rng(1)
    weights = rng.uniform(0.2, 2.0, size=len(people))
    ours = weighted_logistic(people, weights, l2=l2)
    theirs = LogisticRegression(C=1 / l2, tol=1e-10, max_iter=10_000)
    theirs.fit(people.X, people.y, sample_weight=weights)
    scipy = minimize(lambda v: loss(people, weights, l2, v[:-1], v[-1]), np.zeros(7), tol=1e-10).x
    best = loss(people, weights, l2, ours.weights, ours.intercept)
    assert best <= loss(people, weights, l2, theirs.coef_[0], theirs.intercept_[0]) + 1e-9
    assert best <= loss(people, weights, l2, scipy[:-1], scipy[-1]) + 1e-9
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=1e-4)


def test_the_gradient_at_the_optimum_is_a_rounding_error():
    people = crowd()
    model = logistic(people, l2=0.5)
    residual = 1 / (1 + np.exp(-(people.X @ model.weights + model.intercept))) - people.y
    assert np.abs(people.X.T @ residual + 0.5 * model.weights).max() < 1e-9
    assert abs(residual.sum()) < 1e-9  # the intercept is not penalised


def test_two_opposite_records_by_hand():
    # by symmetry b = -w / 2, so both margins are w / 2; the loss 2 log(1 + exp(-w / 2)) + w^2 / 4
    # is least where w = 2 / (1 + exp(w / 2))
    model = logistic(records([[0.0], [1.0]], [0, 1]), l2=0.5)
    w = model.weights[0]
    assert w == pytest.approx(2 / (1 + np.exp(w / 2)), abs=1e-12)
    assert model.intercept == pytest.approx(-w / 2, abs=1e-12)


@pytest.mark.parametrize("l2", [1e-3, 1e-6, 1e-9])
def test_separable_records_with_a_weak_penalty_are_separated(l2):
    people = records([[0.0, 0.3], [0.2, 0.3], [0.8, 0.3], [1.0, 0.3]], [0, 0, 1, 1])
    model = logistic(people, l2=l2)
    assert model.predict(people).tolist() == [0, 0, 1, 1]


def test_a_column_written_twice_shares_its_weight():
    people = crowd(d=2)
    twice = records(np.column_stack([people.X, people.X[:, 0]]), people.y)
    weights = logistic(twice, l2=1.0).weights
    assert weights[0] == pytest.approx(weights[2], abs=1e-10)


def test_a_record_of_weight_two_counts_as_two_records():
    people = crowd(n=50)
    doubled = records(np.vstack([people.X, people.X[:5]]), np.append(people.y, people.y[:5]))
    weights = np.where(np.arange(50) < 5, 2.0, 1.0)
    once = weighted_logistic(people, weights, l2=1.0)
    np.testing.assert_allclose(once.weights, logistic(doubled, l2=1.0).weights, atol=1e-9)


@pytest.fixture
def many(monkeypatch):
    """Makes 400 records so many that they are read in blocks."""
    for name, value in {"MOST_KEPT": 100, "BLOCK": 64}.items():
        monkeypatch.setattr(logistic_rule, name, value)


def test_records_in_blocks_have_the_optimum_of_all_at_once(request):
    people, weights = crowd(), np.random.default_rng(1).uniform(0.2, 2.0, size=400)
    at_once = weighted_logistic(people, weights, l2=0.1)
    request.getfixturevalue("many")
    in_blocks = weighted_logistic(people, weights, l2=0.1)
    np.testing.assert_allclose(in_blocks.weights, at_once.weights, rtol=1e-10)
    assert in_blocks.intercept == pytest.approx(at_once.intercept, rel=1e-10)
