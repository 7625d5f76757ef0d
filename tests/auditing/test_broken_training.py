"""Private training on batches, noisy steps that count a clipped sum, and ways to break them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.mechanisms.accounting.accountant import noise_multiplier_for
from dpfair_cli.mechanisms.batches import poisson_batches, shuffled_batches
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.models.regression.linear import LinearClassifier
from tests.auditing.subjects import D

STEPS = 30
multiplier = cache(noise_multiplier_for)


def trained(records, batches, rng, *, clip_norm=1.0, sigma=1.0, declared=0.3):
    """Steps of clipped sums on these batches, with noise of `sigma` clipping bounds."""
    weights = np.zeros(D)
    for batch in batches:
        X = records.X[batch.rows] - 0.01 * weights
        norms = np.maximum(np.linalg.norm(X, axis=1, keepdims=True), clip_norm)
        total = (clip_norm * X / norms).sum(axis=0)
        draw = replace(batch.draw, sampling_rate=declared) if declared else batch.draw
        weights = weights + gaussian(total, l2_sensitivity=1.0, sigma=sigma, rng=rng, draw=draw)
    return LinearClassifier(weights)


def noisy_training(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma)


def half_the_noise(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS) / 2
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma)


def gradients_that_are_not_clipped_enough(records, *, epsilon=1.0, delta=1e-5, rng):
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma, clip_norm=1.5)


def a_second_release_on_the_same_batches(records, *, epsilon=1.0, delta=1e-5, rng):
    """Counts with the noise of the gradients, accounted as if they were none."""
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    size = 0.0
    for batch in poisson_batches(len(records), sampling_rate=0.3, steps=STEPS, rng=rng):
        for _ in range(2):
            size += gaussian(
                len(batch.rows), l2_sensitivity=1.0, sigma=sigma, rng=rng, draw=batch.draw
            )
    return LinearClassifier(np.full(D, float(size)))


def shuffled_batches_at_a_poisson_price(records, *, epsilon=1.0, delta=1e-5, rng):
    size = min(5, len(records))
    rate, steps = size / len(records), 4 * -(-len(records) // size)
    sigma = multiplier(epsilon, delta, sampling_rate=rate, steps=steps)
    return trained(
        records,
        shuffled_batches(len(records), batch_size=size, steps=steps, rng=rng),
        rng,
        sigma=sigma,
        declared=0,
    )


def shuffled_batches_at_their_price(records, *, epsilon=1.0, delta=1e-5, rng):
    size = min(5, len(records))
    a_pass = -(-len(records) // size)
    sigma = multiplier(
        epsilon, delta, sampling_rate=1 / a_pass, steps=4 * a_pass, sampling="shuffled"
    )
    batches = shuffled_batches(len(records), batch_size=size, steps=4 * a_pass, rng=rng)
    return trained(records, batches, rng, sigma=sigma, declared=0)


def a_rate_that_depends_on_the_data(records, *, epsilon=1.0, delta=1e-5, rng):
    rate = 0.2 + 0.1 * float(records.y.mean())
    sigma = multiplier(epsilon, delta, sampling_rate=0.3, steps=STEPS)
    batches = poisson_batches(len(records), sampling_rate=rate, steps=STEPS, rng=rng)
    return trained(records, batches, rng, sigma=sigma, declared=0)


def a_mean_outside_the_batches(records, *, epsilon=1.0, delta=1e-5, rng):
    model = noisy_training(records, epsilon=epsilon, delta=delta, rng=rng)
    return replace(model, intercept=float(records.X.mean()))


def test_private_training_passes_and_is_accounted_with_its_batches(try_out):
    found = try_out(noisy_training, Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5)
    assert found.holds
    assert found.largest_move == pytest.approx(1.0)
    assert 0.99 < found.accounted <= 1


def test_shuffled_training_passes_at_the_price_of_its_passes(try_out):
    found = try_out(shuffled_batches_at_their_price, Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5)
    assert found.holds
    assert found.accounted == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    "fit",
    [
        half_the_noise,
        gradients_that_are_not_clipped_enough,
        a_second_release_on_the_same_batches,
        shuffled_batches_at_a_poisson_price,
        a_rate_that_depends_on_the_data,
        a_mean_outside_the_batches,
    ],
)
def test_broken_private_training_is_refuted(try_out, fit):
    assert not try_out(fit, Neighbours.ADD_OR_REMOVE_ONE, delta=1e-5).holds
