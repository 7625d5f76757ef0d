"""Softmax regression: against scikit-learn, its margins, and mangold2023's bounds with three labels and groups."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_cli.metrics import fairness_bounds, fairness_functions
from dpfair_cli.models import logistic, softmax


def sample(n=600, labels=3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 4))
    return Z, (Z[:, :labels] + rng.normal(size=(n, labels))).argmax(axis=1)


def test_the_minimiser_is_that_of_scikit_learn():
    Z, y = sample()
    theirs = LogisticRegression(C=1 / (len(Z) * 0.3), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(Z, y)
    ours = softmax.minimise_softmax(Z, y, labels=3, ridge=0.3)
    np.testing.assert_allclose(ours, theirs.coef_.T, atol=1e-5)


def test_two_labels_are_logistic_regression_with_half_the_penalty():
    Z, y = sample(labels=2)
    W = softmax.minimise_softmax(Z, y, labels=2, ridge=1.0)
    np.testing.assert_allclose(W[:, 1] - W[:, 0], logistic.minimise(Z, y, ridge=0.5), atol=1e-7)
    np.testing.assert_allclose(W.sum(axis=1), 0, atol=1e-7)


def test_margins_by_hand():
    W = np.array([[1.0, 2.0, 4.0]])
    # scores of z = 1: 1, 2, 4; of z = -1: -1, -2, -4
    Z, y = np.array([[1.0], [1.0], [-1.0]]), np.array([2, 1, 0])
    np.testing.assert_allclose(softmax.margins(W, Z, y), [4 - 2, 2 - 4, -1 + 2])


def test_a_margin_is_positive_where_the_decision_is_right_and_lipschitz():
    Z, y = sample()
    rng = np.random.default_rng(1)
    for _ in range(50):
        W, other = rng.normal(size=(2, 4, 3))
        rho, moved = softmax.margins(W, Z, y), softmax.margins(other, Z, y)
        np.testing.assert_array_equal(rho > 0, (Z @ W).argmax(axis=1) == y)
        assert (np.abs(rho - moved) <= softmax.lipschitz(Z) * np.linalg.norm(W - other) * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(10))
def test_replacing_a_record_moves_the_minimiser_within_its_sensitivity(seed):
    rng = np.random.default_rng(seed)
    Z, y = sample(6, seed=seed)
    other, labels = Z.copy(), y.copy()
    other[0], labels[0] = -Z[0], (y[0] + 1) % 3
    mu, norm = float(rng.choice([0.1, 1.0])), np.linalg.norm(np.vstack([Z, other]), axis=1).max()
    fits = [softmax.minimise_softmax(*data, labels=3, ridge=mu) for data in ((Z, y), (other, labels))]
    assert np.linalg.norm(fits[0] - fits[1]) <= 2 * np.sqrt(2) * norm / (6 * mu)


@pytest.mark.parametrize("notion", ["equalized_odds", "accuracy_parity", "equality_of_opportunity"])
@pytest.mark.parametrize("sigma", [0.003, 0.1])
def test_theorem_2_holds_with_three_labels_and_three_groups(notion, sigma):
    Z, y = sample()
    rng, best = np.random.default_rng(2), softmax.minimise_softmax(Z, y, labels=3, ridge=1.0)
    cells = 3 * rng.integers(0, 3, len(Z)) + y
    people = np.bincount(cells, minlength=9).astype(float).reshape(3, 3)
    C = fairness_functions.NOTIONS[notion](people)
    limit = fairness_bounds.distance_bound(sigma, best.size, 0.01)
    r = np.abs(softmax.margins(best, Z, y)) / softmax.lipschitz(Z)

    def levels(W):
        right = softmax.margins(W, Z, y) > 0
        return fairness_functions.levels(C, np.array([right[cells == k].mean() for k in range(9)]))

    linear, tail = (
        fairness_bounds.total(C[1], np.array([float(form(r[cells == k], limit)) for k in range(9)]))
        for form in (fairness_bounds.linear, fairness_bounds.chernoff)
    )
    draws = [np.abs(levels(best + sigma * rng.normal(size=best.shape)) - levels(best)) for _ in range(200)]
    for bound in (linear, tail):
        assert np.mean([(gap <= bound + 1e-12).all() for gap in draws]) >= 0.99


def test_a_penalty_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match="ridge must be positive, got -1"):
        softmax.minimise_softmax(*sample(), labels=3, ridge=-1)
