"""mangold2023's bounds with three labels and groups, on scikit-learn's softmax regression."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from dpfair_cli.metrics import fairness_bounds, fairness_functions


def margins(W, Z, y):
    """The score of the label minus the best other one, (n,): positive if the decision is right."""
    scores = Z @ W  # (n, labels)
    own = np.take_along_axis(scores, y[:, None], axis=1)[:, 0]
    np.put_along_axis(scores, y[:, None], -np.inf, axis=1)
    return own - scores.max(axis=1)


def test_margins_by_hand():
    W = np.array([[1.0, 2.0, 4.0]])  # scores of z = 1: 1, 2, 4; of z = -1: -1, -2, -4
    found = margins(W, np.array([[1.0], [1.0], [-1.0]]), np.array([2, 1, 0]))
    np.testing.assert_allclose(found, [4 - 2, 2 - 4, -1 + 2])


@pytest.mark.parametrize("notion", ["equalized_odds", "accuracy_parity", "equality_of_opportunity"])
@pytest.mark.parametrize("sigma", [0.003, 0.1])
def test_theorem_2_holds_with_three_labels_and_three_groups(notion, sigma):
    """A margin is sqrt(2) |z|-Lipschitz in W: it is the least of the z'(W_y - W_other)."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(600, 4))
    y = (Z[:, :3] + rng.normal(size=(600, 3))).argmax(axis=1)
    best = (
        LogisticRegression(C=1 / len(Z), fit_intercept=False, tol=1e-10, max_iter=10_000)
        .fit(Z, y)
        .coef_.T
    )
    cells = 3 * rng.integers(0, 3, len(Z)) + y
    coefficients = fairness_functions.NOTIONS[notion](
        np.bincount(cells, minlength=9).astype(float).reshape(3, 3)
    )
    limit = fairness_bounds.distance_bound(sigma, best.size, 0.01)
    r = np.abs(margins(best, Z, y)) / (np.sqrt(2) * np.linalg.norm(Z, axis=1))

    def levels(W):
        right = margins(W, Z, y) > 0
        return fairness_functions.levels(
            coefficients, np.array([right[cells == k].mean() for k in range(9)])
        )

    gaps = [
        np.abs(levels(best + sigma * rng.normal(size=best.shape)) - levels(best))
        for _ in range(200)
    ]
    for form in (fairness_bounds.linear, fairness_bounds.chernoff):
        parts = np.array([float(form(r[cells == k], limit)) for k in range(9)])
        bound = fairness_bounds.total(coefficients[1], parts)
        assert np.mean([(gap <= bound + 1e-12).all() for gap in gaps]) >= 0.99
