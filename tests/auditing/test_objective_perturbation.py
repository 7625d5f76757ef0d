"""Noise that is added to an objective is audited by outcomes: a sound and two broken fits.

The sound fit minimises the logistic loss of records with |x| <= 1, plus REGULARISATION / 2 |w|^2,
plus noise'w (Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 2, for the sum of the losses). A
replaced record changes the gradient by at most 2, and the second derivative costs at most log(1 +
2 c + c^2) with c = 1 / (4 REGULARISATION).
"""

from math import log

import numpy as np
import pytest

from dpfair_cli.auditing.assertions import NotPrivateError, assert_private

REGULARISATION = 5.0
C = 1 / (4 * REGULARISATION)


def minimiser(X, y, noise):
    """The minimum of the perturbed objective, by Newton's method."""
    x, sign, w = X / np.sqrt(X.shape[1]), 2 * y - 1, np.zeros(X.shape[1])
    for _ in range(6):
        p = 1 / (1 + np.exp(sign * (x @ w)))
        gradient = -x.T @ (sign * p) + REGULARISATION * w + noise
        second = (x.T * (p * (1 - p))) @ x + REGULARISATION * np.eye(len(w))
        w = w - np.linalg.solve(second, gradient)
    return w


def perturbed(X, y, epsilon, rng):
    left = epsilon - log(1 + 2 * C + C**2)
    direction = rng.normal(size=X.shape[1])
    length = rng.gamma(X.shape[1], 2 / left)
    return minimiser(X, y, length * (direction / np.sqrt((direction**2).sum())))


def with_a_thirtieth_of_the_noise(X, y, epsilon, rng):
    return perturbed(X, y, 30 * epsilon, rng)


def without_noise_on_two_weights(X, y, epsilon, rng):
    return minimiser(X, y, np.array([rng.laplace(scale=2 / epsilon), 0.0, 0.0]))


@pytest.fixture(autouse=True)
def few_runs(monkeypatch):
    monkeypatch.setattr("dpfair_cli.auditing.outcomes.MOST", 8000)


def test_the_gradient_of_the_perturbed_objective_is_zero():
    rng = np.random.default_rng(0)
    X, y, noise = rng.random((20, 3)), rng.integers(2, size=20), rng.normal(size=3)
    w, x, sign = minimiser(X, y, noise), X / np.sqrt(3), 2 * y - 1
    slope = -x.T @ (sign / (1 + np.exp(sign * (x @ w)))) + REGULARISATION * w + noise
    np.testing.assert_allclose(slope, 0, atol=1e-9)


def test_a_sound_perturbation_of_the_objective_passes():
    assert_private(perturbed, epsilon=1.0, seconds=60)


@pytest.mark.parametrize("fit", [with_a_thirtieth_of_the_noise, without_noise_on_two_weights])
def test_too_little_noise_in_the_objective_fails(fit):
    with pytest.raises(NotPrivateError, match="epsilon of at least"):
        assert_private(fit, epsilon=1.0, seconds=60)
