"""Penalised logistic regression: against scikit-learn and scipy, and strong convexity."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression import logistic


def sample(n=300, d=5, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, d))
    return Z, (Z[:, 0] + rng.normal(size=n) > 0).astype(np.int64)


def records_of(X, y, standard=()):
    columns = tuple(f"x{j}" for j in range(X.shape[1]))
    domain = Domain(
        columns, {name: (j,) for j, name in enumerate(columns)}, ("a", "b"), standard=standard
    )
    return Records(
        np.asarray(X, dtype=float), np.asarray(y), np.zeros(len(X), dtype=np.int64), domain
    )


@pytest.mark.parametrize("ridge", [1.0, 0.1, 1e-4])
@pytest.mark.parametrize("n", [1, 3, 300])
def test_the_minimiser_is_that_of_scikit_learn_with_c_one_over_n_ridge(n, ridge):
    Z, y = sample(n)
    if len(set(y)) == 1:
        y[0] = 1 - y[0]
    Z, y = (Z, y) if n > 1 else (np.vstack([Z, -Z]), np.array([0, 1]))
    theirs = LogisticRegression(
        C=1 / (len(Z) * ridge), fit_intercept=False, tol=1e-10, max_iter=10_000
    ).fit(Z, y)
    np.testing.assert_allclose(
        logistic.minimise(Z, y, ridge=ridge), theirs.coef_[0], atol=2e-5, rtol=1e-4
    )


@pytest.mark.parametrize("ridge", [2.0, 1e-2])
def test_the_minimiser_is_that_of_scipy(ridge):
    Z, y = sample()
    signs = 2 * y - 1

    def f(w):
        return np.log1p(np.exp(-signs * (Z @ w))).mean() + ridge * w @ w / 2

    theirs = minimize(f, np.zeros(5), method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(logistic.minimise(Z, y, ridge=ridge), theirs, atol=1e-6)


def test_one_record_by_hand():
    # f(w) = log(1 + exp(-w)) + w^2 / 2 is least where w = 1 / (1 + exp(w)): w = 0.401058...
    w = logistic.minimise(np.ones((1, 1)), np.ones(1), ridge=1.0)[0]
    assert w == pytest.approx(1 / (1 + np.exp(w)), abs=1e-12)
    assert w == pytest.approx(0.401058, abs=1e-6)


def test_separable_records_converge_with_a_tiny_penalty():
    Z = np.array([[1.0, 0.0], [-1.0, 0.0], [3.0, 1.0]])
    y = np.array([1, 0, 1])
    w = logistic.minimise(Z, y, ridge=1e-9)
    wrong = 1 / (1 + np.exp((2 * y - 1) * (Z @ w)))
    gradient = 1e-9 * w - Z.T @ ((2 * y - 1) * wrong) / 3
    assert np.abs(gradient).max() < 1e-12


def test_a_penalty_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match="ridge must be positive, got 0"):
        logistic.minimise(*sample(), ridge=0)


@pytest.mark.parametrize("seed", range(30))
def test_replacing_a_record_moves_the_minimiser_by_two_norms_over_n_mu(seed):
    rng = np.random.default_rng(seed)
    n, norm, mu = int(rng.integers(1, 8)), 3.0, float(rng.choice([0.05, 1.0, 4.0]))
    Z, y = sample(n, 3, seed)
    Z *= norm / np.linalg.norm(Z, axis=1, keepdims=True)
    other, labels = Z.copy(), y.copy()
    other[0], labels[0] = (-Z[0], y[0]) if seed % 2 else (norm * np.eye(3)[0], 1 - y[0])
    move = np.linalg.norm(
        logistic.minimise(Z, y, ridge=mu) - logistic.minimise(other, labels, ridge=mu)
    )
    assert move <= 2 * norm / (n * mu) * (1 + 1e-9)


def test_records_are_standardised_by_public_constants_and_cut_to_the_norm():
    domain = records_of(np.zeros((1, 2)), [0], standard=((0.5, 0.25), (0.0, 1.0))).domain
    Z = logistic.standardised(
        np.array([[1.0, 0.0], [0.5, 1.0], [9.0, -9.0]]), domain, clip_norm=1.0
    )
    # (1 - 0.5) / 0.25 = 2 is cut to 1; (0, 1) stays; what lies outside [0, 1] comes in first
    np.testing.assert_allclose(Z, [[1, 0], [0, 1], [1, 0]])


def test_the_rule_on_features_equals_the_rule_on_standardised_records():
    rng = np.random.default_rng(0)
    records = records_of(
        rng.random((200, 3)), np.zeros(200, dtype=np.int64), ((0.3, 0.2), (0.5, 0.5), (0.0, 1.0))
    )
    weights = np.array([1.0, -2.0, 0.7])
    model = logistic.classifier(weights, records.domain)
    Z = logistic.standardised(records.X, records.domain, clip_norm=0.5)
    np.testing.assert_array_equal(model.predict(records), Z @ weights > 0)
    np.testing.assert_allclose(logistic.standard_weights(model, records.domain), weights)


def test_the_optimum_is_that_of_the_first_records():
    rng = np.random.default_rng(0)
    records = records_of(rng.random((50, 3)), rng.integers(0, 2, 50))
    some = logistic.optimum(records, clip_norm=3.0, ridge=1.0, train_size=20)
    np.testing.assert_allclose(some, logistic.minimise(records.X[:20], records.y[:20], ridge=1.0))
    all_weights = logistic.optimum(records, clip_norm=3.0, ridge=1.0, train_size=10**9)
    np.testing.assert_allclose(all_weights, logistic.minimise(records.X, records.y, ridge=1.0))
