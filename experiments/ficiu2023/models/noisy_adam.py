"""DP-SGD with Adam: Poisson batches, clipped gradients of records, Gaussian noise on their sum."""

from __future__ import annotations

import math

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps

from .adam_steps import AdamSchedule, descend
from .perceptrons import LabelledRecords, Network, start


def noisy_adam(
    X: dp.Floats,
    y: dp.Ints,
    network: Network,
    *,
    steps: NoisySteps,
    clip_norm: float,
    training: AdamSchedule,
    copies: int,
    context: dp.TrainingContext,
    rng: np.random.Generator,
) -> dp.Floats:
    """The parameters of all copies after all steps, (copies, p).

    A step divides the noisy sum by the expected size of a batch, rounded down. The copies share
    their batches and have separate noise, so that together they change by sqrt(copies) times as
    much as one.

    Args:
        X: Features, (n, d).
        y: Labels, (n,).
        network: The layers.
        steps: The steps with their noise multiplier.
        clip_norm: The L2 norm to which the gradient of a record is clipped.
        training: The settings of Adam, whose number of steps is that of `steps`.
        copies: The number of models that are trained at once.
        context: The progress display and the checkpoints.
        rng: The source of randomness, split into three generators.
    """
    # separate generators: a replayed release may not move the batches
    start_rng, batch_rng, noise_rng = rng.spawn(3)
    records = LabelledRecords(X, y, network)
    # by the expected size: that of a drawn batch depends on which records are present
    expected = max(1, int(len(X) * steps.sampling_rate))
    sigma = steps.noise_multiplier * clip_norm

    def gradient(w: dp.Floats, batch: dp.Batch) -> dp.Floats:
        # bound: |g_i| <= clip_norm for each copy; query: (copies, p)
        total = records.clipped_sum(w, batch.rows, clip_norm)
        sensitivity = clip_norm * math.sqrt(copies)
        noisy = dp.gaussian(
            total, l2_sensitivity=sensitivity, sigma=sigma, rng=noise_rng, draw=batch.draw
        )  # release
        return noisy / expected  # post-processing

    batches = dp.poisson_batches(
        len(X), sampling_rate=steps.sampling_rate, steps=steps.steps, rng=batch_rng
    )
    initial = start(X.shape[1], network, copies=copies, rng=start_rng)
    return descend(
        initial,
        gradient,
        batches,
        learning_rate=training.learning_rate,
        epochs=training.epochs,
        steps_per_epoch=steps.steps // training.epochs,
        context=context,
        rng=noise_rng,
    )
