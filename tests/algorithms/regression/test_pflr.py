"""PFLR and PFLR*: releases for two records, and the weights that follow."""

import numpy as np
import pytest

from dpfair_cli.algorithms.regression import pflr, pflr_star
from tests.algorithms.regression.fitting import fit, minimiser


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("fairness", "linear"), [("shift", -1 / 2), ("drift", 1 / 2)])
def test_pflr_releases_the_fair_objective(couple, seed, fairness, linear):
    model, tape = fit(pflr, couple, seed, epsilon=2, fairness=fairness)
    assert np.hstack([release.value.ravel() for release in tape]) == pytest.approx([linear, 5 / 32])
    assert {release.scale for release in tape} == {3.25 / 2}  # d^2 / 4 + 3 d = 3.25
    noisy_linear, square = np.hstack([release.output.ravel() for release in tape])
    assert model.weights == pytest.approx([minimiser(noisy_linear, square, 3.25 / 2 * np.sqrt(2))])


@pytest.mark.parametrize("seed", range(5))
def test_pflr_star_splits_epsilon_and_shifts_the_linear_coefficients(couple, seed):
    model, tape = fit(pflr_star, couple, seed, epsilon=2, objective_share=0.25, fairness="shift")
    scales = {
        1.25 / 0.5: "objective",
        2 / 1.5: "covariance",
    }  # epsilon_f = 1/2, epsilon_g = 3/2, Delta_g = 2 d
    outputs = {
        name: np.hstack([r.output.ravel() for r in tape if r.scale == s])
        for s, name in scales.items()
    }
    (linear, square), (mean,) = outputs["objective"], outputs["covariance"]
    assert model.weights == pytest.approx([minimiser(linear + mean, square, 2.5 * np.sqrt(2))])


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_noise_leaves_linear_coefficients_of_pflr_star(couple, seed):
    """linear = -1/4 without noise; square and mean are noisy, and with `noise` "all" linear too."""
    options = {"epsilon": 2, "objective_share": 0.25, "fairness": "shift"}
    model, tape = fit(pflr_star, couple, seed, **options, noise="quadratic")
    outputs = {
        scale: np.hstack([r.output.ravel() for r in tape if r.scale == scale])
        for scale in (1.25 / 0.5, 2 / 1.5)
    }
    (linear, square), (mean,) = outputs.values()
    assert linear != pytest.approx(-1 / 4)
    assert model.weights == pytest.approx([minimiser(-1 / 4 + mean, square, 2.5 * np.sqrt(2))])
    whole, again = fit(pflr_star, couple, seed, **options, noise="all")
    assert [np.ravel(r.output).tolist() for r in tape] == [
        np.ravel(r.output).tolist() for r in again
    ]
    np.testing.assert_array_equal(whole.weights, fit(pflr_star, couple, seed, **options)[0].weights)


@pytest.mark.parametrize("seed", range(5))
def test_noise_per_degree_has_a_scale_for_each_degree(couple, seed):
    """d = 1: 1 / epsilon_f for the linear coefficient and 1/4 / epsilon_f for the quadratic one."""
    options = {"epsilon": 2, "objective_share": 0.25, "fairness": "shift", "noise": "per_degree"}
    model, tape = fit(pflr_star, couple, seed, **options)
    mean, objective = tape
    assert (mean.scale, objective.scale) == (2 / 1.5, 2)  # of coefficients over 1 and over 1/4
    linear, square = np.ravel(objective.output) * [1, 1 / 4]
    weights = minimiser(linear + np.ravel(mean.output)[0], square, 0.5 * np.sqrt(2))
    assert model.weights == pytest.approx([weights])


def test_noise_per_degree_costs_at_most_epsilon(couple):
    """(9/8 share + (1 - share) / 2) epsilon, by the declared sensitivities of both releases."""
    for share, expected in [(0.25, 0.65625), (0.5, 0.8125), (0.8, 1.0)]:
        _, tape = fit(pflr_star, couple, 0, epsilon=1, objective_share=share, noise="per_degree")
        assert sum(one.sensitivity / one.scale for one in tape) == pytest.approx(expected)


@pytest.mark.parametrize(
    "settings", [{"objective_share": 0.81}, {"sensitivity": "tight"}, {"fairness": "drift"}]
)
def test_noise_per_degree_refuses_settings_that_cost_more(couple, settings):
    with pytest.raises(ValueError, match="privacy loss is above epsilon"):
        fit(pflr_star, couple, 0, epsilon=1, noise="per_degree", **settings)
