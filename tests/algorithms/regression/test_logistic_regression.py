"""Non-private logistic regression: exact, truncated and fair, against numbers by hand."""

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import (
    fair_logistic_regression,
    logistic_regression,
    truncated_logistic_regression,
)
from tests.algorithms.regression.fitting import fit


def test_logistic_regression_solves_its_normal_equation(crowd):
    people = crowd()
    model, _ = fit(logistic_regression, people, l2=2.0)
    residual = 1 / (1 + np.exp(-(people.X @ model.weights + model.intercept))) - people.y
    gradient = people.X.T @ residual + 2.0 * model.weights  # of the loss with l2 / 2 * |w|^2
    np.testing.assert_allclose(gradient, 0, atol=1e-9)
    assert residual.sum() == pytest.approx(0, abs=1e-9)  # the intercept is not penalised


def test_truncated_logistic_regression_of_a_couple(couple):
    model, _ = fit(truncated_logistic_regression, couple)
    assert model.weights == pytest.approx([0.8])  # (1/4) / (2 * 5/32)
    assert model.predict(couple).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("fairness", "alpha", "weight"),
    [
        ("shift", 1, 1.6),  # linear -1/4 - 1/4
        ("drift", 1, -1.6),  # linear -1/4 + 3/4
        ("penalty", 1, 0),  # |w| / 4 outweighs -w / 4
        ("penalty", 0.5, 0.4),  # -w / 4 + w / 8
    ],
)
def test_fair_logistic_regression_of_a_couple(couple, fairness, alpha, weight):
    model, _ = fit(fair_logistic_regression, couple, fairness=fairness, alpha=alpha)
    assert model.weights == pytest.approx([weight])


def test_a_large_penalty_makes_both_groups_score_the_same_on_average(crowd):
    people = crowd()
    model, _ = fit(fair_logistic_regression, people, fairness="penalty", alpha=1e6)
    scores = people.X @ model.weights
    assert scores[people.protected == 1].mean() == pytest.approx(
        scores[people.protected == 0].mean()
    )
