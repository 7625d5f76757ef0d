"""DPSGD: stochastic gradient descent with clipped per-record gradients and Gaussian noise.

Source: xu2021, Algorithm 1 (Abadi et al. 2016, Algorithm 1).
Differs: `batches` "poisson" draws Poisson samples, as the accounting assumes. `batches` "shuffled"
    shuffles the records in each pass over the data, as the paper's code does. For shuffled batches
    every pass costs as much as one release of all records with the same noise, and the paper's
    budget pays for far fewer passes. The noise is calibrated to epsilon by a nearly exact
    accountant. With `calibration` "given" the noise is `noise_multiplier`, and a fit is refused if
    this noise costs more than epsilon. Weight decay is applied outside the clipped gradient.
    Logistic regression has an intercept and starts at 0. The momentum of the specs is that of sgd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import (
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
from dpfair_cli.models.training.descent import (
    BatchGradients,
    Intercept,
    clipping_weights,
    differentiable,
    train,
)
from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps, TrainingSchedule


@checked
def fit(
    data: Records | Images,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    clip_norm: PositiveFinite = 0.5,
    calibration: NoiseCalibration = "pld",
    noise_multiplier: NotNegativeFinite = 1.0,  # used only with calibration "given"
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after as many passes over the data as `training` says.

    Args:
        clip_norm: The L2 norm to which the gradient of a record is clipped.
        calibration: The accountant that finds the noise, or "given" for the noise
            `noise_multiplier`.
        noise_multiplier: The noise multiplier; used only with the calibration "given".
        intercept: Whether a logistic regression has an intercept.

    Raises:
        ValueError: a batch is larger than the data, the noise costs more than epsilon, or a
            parameter is outside its range.
    """
    steps = PlannedSteps(training, len(data))
    sigma = training_noise(
        calibration, epsilon, delta, noise_multiplier=noise_multiplier, batches=steps.noisy_steps
    )

    model = differentiable(data, intercept=intercept, device=context.device)
    rule = partial(_step, clip_norm=clip_norm, sigma=sigma)
    cost = spending(steps.noisy_steps, delta, [sigma])
    return train(model, rule, steps, clip_norm=clip_norm, spending=cost, context=context, rng=rng)


def _step(
    g: BatchGradients, bounds: Floats, rng: np.random.Generator, *, clip_norm: float, sigma: float
) -> tuple[Floats, Floats]:
    """The noisy sum of the clipped gradients, (p,), and the unchanged `bounds`."""
    # bound: |g_i| <= C; query: (p,)
    total = g.total(clipping_weights(g.norms, clip_norm))
    # release
    noisy = gaussian(total, l2_sensitivity=clip_norm, sigma=sigma * clip_norm, rng=rng, draw=g.draw)
    return noisy, bounds


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Algorithm 1 (Abadi et al. 2016, Algorithm 1)",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
    ),
)
