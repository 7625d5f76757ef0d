"""DPSGD-Global-Adapt: DPSGD that shrinks all gradients alike up to a length Z which adapts, so that few are clipped.

Source: Esipova et al. 2023 (DPSGD-Global-Adapt): gradients up to Z are scaled by C / Z, which keeps the direction of
    the sum, longer ones clipped to C; Z follows a noisy count of the long ones.
Privacy: (epsilon, delta)-differential privacy of all iterates; the number of records is public.
Neighbours: add-or-remove-one.
Status: proved
Differs: the update of Z is that of the authors' code, Z exp(-`bound_rate` + noisy share of gradients longer than
    `threshold` Z), with the expected batch size in the share, since that of the batch at hand is private, and the
    noisy share cut to [0, 1]. Z stays between C, so that nothing is stretched, and its start. The step is r / b as in
    dpsgd, so that `learning_rate` has to make up for C / Z, as the authors' settings do. Counts and gradients are
    released on one batch, which is what epsilon covers. Otherwise as dpsgd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.accounting.training_noise import Calibration, spending, training_noise
from dpfair_cli.mechanisms.batches import Sampling
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.models.training.clipping import clipped, require_clip_norm
from dpfair_cli.models.training.descent import BatchGradients, Course, Schedule, train
from dpfair_cli.models.training.differentiable import differentiable
from dpfair_cli.models.training.logistic_descent import Intercept


@checked
def fit(
    data: Records | Images,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-6,
    clip_norm: float = 0.5,  # C
    largest_norm: float = 50.0,  # Z to begin with
    threshold: float = 1.0,  # a gradient is long above threshold Z
    bound_rate: float = 0.1,  # Z shrinks by this share while no gradient is long
    calibration: Calibration = "pld",
    noise_multiplier: float = 1.0,  # counts with calibration "given" alone
    count_noise_ratio: float = 10.0,
    intercept: Intercept = "with",
    epochs: int = 20,
    batch_size: int = 256,
    batches: Sampling = "poisson",
    learning_rate: float = 0.5,
    schedule: Schedule = "constant",
    momentum: float = 0.0,
    regularisation: float = 0.0,
    rng: np.random.Generator,
) -> Classifier:
    """The model after `epochs` passes.

    Raises:
        ValueError: a batch larger than the data, noise that cannot keep epsilon, or a setting outside its range.
    """
    require_clip_norm(clip_norm)
    if not (largest_norm >= clip_norm and threshold > 0 and bound_rate > 0):
        raise ValueError("largest_norm must be at least clip_norm, threshold and bound_rate positive")
    course = Course(len(data), epochs, batch_size, batches, learning_rate, schedule, momentum, regularisation)
    noises = {"noise_multiplier": noise_multiplier, "count_noise_ratio": count_noise_ratio}
    sigma_2 = training_noise(calibration, epsilon, delta, **noises, batches=course.noisy_steps)
    sigma_1 = count_noise_ratio * sigma_2
    model = differentiable(data, intercept=intercept)
    rule = partial(
        _step,
        clip_norm=clip_norm,
        largest_norm=largest_norm,
        threshold=threshold,
        bound_rate=bound_rate,
        batch_size=batch_size,
        sigma_1=sigma_1,
        sigma_2=sigma_2,
    )
    cost = spending(course.noisy_steps, delta, [sigma_1, sigma_2])
    return train(model, rule, course, bounds=np.full(model.group_count, largest_norm), spending=cost, rng=rng)


def _step(
    g: BatchGradients,
    bounds: Floats,
    rng: np.random.Generator,
    *,
    clip_norm: float,
    largest_norm: float,
    threshold: float,
    bound_rate: float,
    batch_size: int,
    sigma_1: float,
    sigma_2: float,
) -> tuple[Floats, Floats]:
    """The noisy sum of the gradients scaled by C / Z, or clipped to C, and the next Z from a noisy count."""
    z = bounds[0]
    scaled = np.where(g.norms <= z, clip_norm / z, clipped(g.norms, clip_norm))  # bound: |g_i| <= C
    total = g.total(scaled)  # query: (p,)
    noisy = gaussian(total, l2_sensitivity=clip_norm, sigma=sigma_2 * clip_norm, rng=rng, draw=g.draw)  # release
    count = np.count_nonzero(g.norms > threshold * z)  # query: a record moves it by 1
    long = gaussian(count, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw)  # release
    share = np.clip(long / batch_size, 0.0, 1.0)
    return noisy, np.full_like(bounds, np.clip(z * np.exp(share - bound_rate), clip_norm, largest_norm))


ALGORITHM = Algorithm(fit, version=1)
