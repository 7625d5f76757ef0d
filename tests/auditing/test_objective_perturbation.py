"""Noise that is added to an objective: sound fits hold, and broken ones are refuted.

The sound fit minimises the logistic loss of records with |x| <= 1, plus REGULARISATION / 2 |w|^2,
plus noise'w (Chaudhuri, Monteleoni and Sarwate 2011, Algorithm 2, for the sum of the losses). A
replaced record changes the gradient by at most 2, and the second derivative costs at most log(1 +
2 c + c^2) with c = 1 / (4 REGULARISATION). For features in [0, 1] the gradient changes by at most
1, so that no more than half of the noise is needed.
"""

from math import log

import numpy as np
import pytest

from dpfair_cli.addons.foreign_audits.assertions import NotPrivateError, assert_private, summary
from dpfair_cli.addons.foreign_audits.densities import DensityFinding, audit_densities
from dpfair_cli.addons.foreign_audits.drawn_noise import NotOneToOneError
from dpfair_cli.addons.foreign_audits.outcomes import ClaimedPrivacy

REGULARISATION = 5.0
C = 1 / (4 * REGULARISATION)
OF_SECOND_DERIVATIVES = log(1 + 2 * C + C**2)
STEPS = 4  # of Newton's method
GAUSSIAN = 3.73  # noise multiplier for epsilon 1 and delta 1e-5 (Balle and Wang 2018)


def minimiser(X, y, noise):
    """The minimum of the perturbed objective, by Newton's method."""
    x, sign, w = X / np.sqrt(X.shape[1]), 2 * y - 1, np.zeros(X.shape[1])
    penalty = REGULARISATION * np.eye(len(w))
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(sign * (x @ w)))
        gradient = -x.T @ (sign * p) + REGULARISATION * w + noise
        second = (x.T * (p * (1 - p))) @ x + penalty
        w = w - np.linalg.solve(second, gradient)
    return w


def perturbed(X, y, epsilon, rng):
    left = epsilon - OF_SECOND_DERIVATIVES
    direction = rng.normal(size=X.shape[1])
    length = rng.gamma(X.shape[1], 2 / left)
    return minimiser(X, y, length * (direction / np.sqrt((direction**2).sum())))


def with_laplace_noise(X, y, epsilon, rng):
    scale = 2 * np.sqrt(X.shape[1]) / (epsilon - OF_SECOND_DERIVATIVES)
    return minimiser(X, y, rng.laplace(scale=scale, size=X.shape[1]))


def with_gaussian_noise(X, y, epsilon, rng):
    sigma = 2 * GAUSSIAN / (epsilon - OF_SECOND_DERIVATIVES)
    return minimiser(X, y, rng.normal(scale=sigma, size=X.shape[1]))


def with_a_quarter_of_the_noise(X, y, epsilon, rng):
    left = epsilon - OF_SECOND_DERIVATIVES
    direction = rng.normal(size=X.shape[1])
    length = rng.gamma(X.shape[1], 2 / left) / 4
    return minimiser(X, y, length * (direction / np.sqrt((direction**2).sum())))


def with_a_quarter_of_the_laplace_noise(X, y, epsilon, rng):
    return with_laplace_noise(X, y, 4 * epsilon - 3 * OF_SECOND_DERIVATIVES, rng)


def with_noise_for_a_mean(X, y, epsilon, rng):
    """The noise is that of a mean of losses, and the objective is their sum."""
    return perturbed(X, y, len(X) * epsilon, rng)


def without_noise_on_two_weights(X, y, epsilon, rng):
    return minimiser(X, y, np.array([rng.laplace(scale=2 / epsilon), 0.0, 0.0]))


def with_noise_of_one_sign(X, y, epsilon, rng):
    return np.abs(perturbed(X, y, epsilon, rng))


def test_the_gradient_of_the_perturbed_objective_is_zero():
    rng = np.random.default_rng(0)
    X, y, noise = rng.random((20, 3)), rng.integers(2, size=20), rng.normal(size=3)
    w, x, sign = minimiser(X, y, noise), X / np.sqrt(3), 2 * y - 1
    slope = -x.T @ (sign / (1 + np.exp(sign * (x @ w)))) + REGULARISATION * w + noise
    np.testing.assert_allclose(slope, 0, atol=1e-9)


@pytest.mark.parametrize("relation", ["replace-one", "add-or-remove-one"])
@pytest.mark.parametrize("fit", [perturbed, with_laplace_noise])
def test_a_sound_perturbation_of_the_objective_passes(fit, relation):
    found = assert_private(fit, epsilon=1.0, neighbours=relation, by="density", seconds=3)
    assert 0.3 <= found.found <= 0.6  # half of the change of the gradient that is allowed
    assert "by the density of" in summary(found)


@pytest.mark.parametrize(
    "fit",
    [
        with_a_quarter_of_the_noise,
        with_a_quarter_of_the_laplace_noise,
        with_noise_for_a_mean,
    ],
)
def test_too_little_noise_in_the_objective_is_found_by_density(fit):
    with pytest.raises(NotPrivateError, match="by the density of"):
        assert_private(fit, epsilon=1.0, seconds=5)


@pytest.mark.usefixtures("fewer_runs")
def test_noise_on_one_weight_alone_is_found_by_outcomes():
    with pytest.raises(NotPrivateError, match="epsilon of at least"):
        assert_private(without_noise_on_two_weights, epsilon=1.0, seconds=60)


def test_a_sound_gaussian_perturbation_passes_at_its_delta():
    found = assert_private(with_gaussian_noise, epsilon=1.0, delta=1e-5, by="density", seconds=3)
    assert found.found > 0.2


def test_a_quarter_of_gaussian_noise_is_found_at_its_delta():
    def quarter(X, y, epsilon, rng):
        return with_gaussian_noise(X, y, 4 * epsilon - 3 * OF_SECOND_DERIVATIVES, rng)

    with pytest.raises(NotPrivateError, match="confidence by the density of"):
        assert_private(quarter, epsilon=1.0, delta=1e-5, by="density", seconds=5)


@pytest.mark.parametrize("fit", [with_noise_of_one_sign, without_noise_on_two_weights])
def test_a_map_of_noise_that_is_not_one_to_one_is_refused(fit):
    with pytest.raises(NotOneToOneError):
        assert_private(fit, epsilon=1.0, by="density", seconds=3)


def on_a_pair(run, left, right, *, delta=0.0):
    """The finding for one pair of numbers."""
    claim = ClaimedPrivacy(1.0, delta)
    pairs = iter([(left, right)] * 20)
    return audit_densities("run", run, pairs, lambda pair, rng: pair, claim=claim, seconds=1)


@pytest.mark.parametrize(("distance", "scale"), [(1.0, 1.0), (1.0, 2.0), (3.0, 1.5)])
def test_the_density_ratio_of_laplace_noise_is_distance_by_scale(distance, scale):
    found = on_a_pair(lambda x, rng: x + rng.laplace(scale=scale), 0.0, distance)
    assert found.found == pytest.approx(distance / scale, rel=1e-6)


def test_a_scale_that_depends_on_the_data_counts_by_the_volume():
    """The densities of scales 1 and 2 have the ratio 2 at the centre, and 2 exp(-|w| / 2) at w."""
    found = on_a_pair(lambda x, rng: x * rng.laplace(), 1.0, 2.0)
    assert found.found >= log(2) - 1e-6
    (w,) = found.outcome
    assert found.ratio == pytest.approx(abs(log(2) - abs(w) / 2), abs=1e-4)


def test_the_bound_at_a_delta_is_below_the_epsilon_of_the_gaussian_mechanism():
    """For noise multiplier 1 and delta 1e-5 the exact epsilon is 4.3772 (Balle and Wang 2018)."""
    found = on_a_pair(lambda x, rng: x + rng.normal(), 0.0, 1.0, delta=1e-5)
    assert isinstance(found, DensityFinding)
    assert 3.3 <= found.found <= 4.3772
