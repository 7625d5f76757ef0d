"""Naive: DPSGD in which every group weighs the same, however many records of it are in a batch.

Source: xu2021, Algorithm 8.
Privacy: (epsilon, delta)-differential privacy of all iterates.
Neighbours: add-or-remove-one; the number of records and the list of groups are public.
Status: proved
Proof: mechanisms/accounting/accountant.py, of sums of clipped gradients
Differs: the noise is scaled by the largest weight of all groups, in the batch or not. A noisy count
    below 1 is 1. The paper adds up the moments of counts and gradients; they are released on one
    batch, which costs a little more and is what epsilon covers here. Otherwise as dpsgd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import (
    CountOrZero,
    Delta,
    Epsilon,
    NotNegativeFinite,
    PositiveFinite,
    checked,
)
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.training_noise import (
    NoiseCalibration,
    spending,
    training_noise,
)
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.models.training.clipping import clipping_weights
from dpfair_cli.models.training.descent import BatchGradients, train
from dpfair_cli.models.training.differentiable import differentiable
from dpfair_cli.models.training.logistic_descent import Intercept
from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps, TrainingSchedule


@checked
def fit(
    data: Records | Images,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    clip_norm: PositiveFinite = 0.5,  # C_0
    calibration: NoiseCalibration = "pld",
    noise_multiplier: NotNegativeFinite = 1.0,  # sigma_2; counts with calibration "given" alone
    count_noise_ratio: PositiveFinite = 10.0,  # sigma_1 / sigma_2
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    skipped_steps: CountOrZero = 0,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The model after `epochs` passes, less `skipped_steps`.

    Raises:
        ValueError: a batch larger than the data, noise that cannot keep epsilon, or a setting
            outside its range.
    """
    steps = PlannedSteps(training, len(data), skipped_steps)
    noises = {"noise_multiplier": noise_multiplier, "count_noise_ratio": count_noise_ratio}
    sigma_2 = training_noise(calibration, epsilon, delta, **noises, batches=steps.noisy_steps)
    sigma_1 = count_noise_ratio * sigma_2
    model = differentiable(data, intercept=intercept)

    rule = partial(
        _step, clip_norm=clip_norm, batch_size=training.batch_size, sigma_1=sigma_1, sigma_2=sigma_2
    )
    cost = spending(steps.noisy_steps, delta, [sigma_1, sigma_2])
    return train(model, rule, steps, clip_norm=clip_norm, spending=cost, context=context, rng=rng)


def _step(
    g: BatchGradients,
    bounds: Floats,
    rng: np.random.Generator,
    *,
    clip_norm: float,
    batch_size: int,
    sigma_1: float,
    sigma_2: float,
) -> tuple[Floats, Floats]:
    """Lines 5 to 14 of Algorithm 8: noisy sizes of the groups, their weights, the noisy weighted
    sum.
    """
    counts = np.bincount(
        g.groups, minlength=len(bounds)
    )  # bound: a record is in one group; query: b^k
    records = gaussian(
        counts, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw
    )  # release: b~^k
    theta = batch_size / len(bounds) / np.maximum(records, 1.0)  # (groups,)
    largest = float(clip_norm * theta.max())  # C
    weights = theta[g.groups] * clipping_weights(
        g.norms, clip_norm
    )  # bound: |g_i| <= C_0 theta^k <= C
    total = g.total(weights)  # query: (p,)
    noisy = gaussian(
        total, l2_sensitivity=largest, sigma=sigma_2 * largest, rng=rng, draw=g.draw
    )  # release
    return noisy, clip_norm * theta


ALGORITHM = Algorithm(fit, version=1, uses_groups=True)
