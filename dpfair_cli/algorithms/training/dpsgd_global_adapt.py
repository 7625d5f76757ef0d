"""DPSGD-Global-Adapt: DPSGD that scales all gradients up to an adaptive norm Z by one factor.

Source: Esipova et al. 2023 (DPSGD-Global-Adapt).
Differs: C is `clip_norm`. Gradients up to norm Z are scaled by C / Z, which keeps the direction of
    their sum, and longer gradients are clipped to C. Z is updated as in the authors' code: Z is
    multiplied by exp(-`bound_rate` + noisy share of gradients longer than `threshold` Z). The share
    is the noisy number of such gradients divided by the expected batch size, because the actual
    size of a batch is private, and is clipped to [0, 1]. Z is at least C, so that no gradient
    becomes longer, and at most the initial Z. The noisy sum is multiplied by the learning rate and
    divided by the expected batch size, as in dpsgd. Therefore `learning_rate` has to compensate for
    the factor C / Z, as the authors' settings do. Counts and gradients are released on the same
    batch, and epsilon is the cost of both. Everything else is as in dpsgd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, PositiveFinite, checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.images import Images
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.training_noise import DEFAULT_NOISE, JointNoise, spending
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
    clip_norm: PositiveFinite = 0.5,  # C
    largest_norm: PositiveFinite = 50.0,  # the initial Z
    threshold: PositiveFinite = 1.0,  # a gradient is long above threshold Z
    bound_rate: PositiveFinite = 0.1,  # Z shrinks by this share while no gradient is long
    noise: JointNoise = DEFAULT_NOISE,
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after as many passes over the data as `training` says.

    Args:
        clip_norm: C, the L2 norm to which gradients above Z are clipped.
        largest_norm: The initial value of Z, the norm up to which gradients are only scaled.
        threshold: Gradients longer than `threshold` Z are counted to adapt Z.
        bound_rate: The rate at which Z falls if no gradient is longer than `threshold` Z.
        intercept: Whether a logistic regression has an intercept.

    Raises:
        ValueError: a batch is larger than the data, the noise costs more than epsilon, or a
            parameter is outside its range.
    """
    if largest_norm < clip_norm:
        raise ValueError(
            f"`largest_norm` must be at least `clip_norm`, which is {clip_norm:g}, got "
            f"{largest_norm:g}"
        )
    steps = PlannedSteps(training, len(data))
    sigma_1, sigma_2 = noise.multipliers(epsilon, delta, steps.noisy_steps)
    model = differentiable(data, intercept=intercept, device=context.device)
    rule = partial(
        _step,
        clip_norm=clip_norm,
        largest_norm=largest_norm,
        threshold=threshold,
        bound_rate=bound_rate,
        batch_size=training.batch_size,
        sigma_1=sigma_1,
        sigma_2=sigma_2,
    )
    cost = spending(steps.noisy_steps, delta, [sigma_1, sigma_2])
    return train(
        model, rule, steps, clip_norm=largest_norm, spending=cost, context=context, rng=rng
    )


def _step(
    g: BatchGradients,
    bounds: Floats,
    rng: np.random.Generator,
    *,
    clip_norm: float,
    largest_norm: PositiveFinite,
    threshold: float,
    bound_rate: float,
    batch_size: int,
    sigma_1: float,
    sigma_2: float,
) -> tuple[Floats, Floats]:
    """The noisy sum of scaled gradients, (p,), and the next adaptive norm Z for each group.

    Gradients of a norm up to Z, which is `bounds[0]`, are multiplied by clip_norm / Z. Longer
    gradients are clipped to `clip_norm`. `sigma_1` is the noise multiplier of the count of long
    gradients, and `sigma_2` that of the sum.
    """
    z = bounds[0]
    # bound: |g_i| <= C
    scaled = np.where(g.norms <= z, clip_norm / z, clipping_weights(g.norms, clip_norm))
    # query: (p,)
    total = g.total(scaled)
    # release
    noisy = gaussian(
        total, l2_sensitivity=clip_norm, sigma=sigma_2 * clip_norm, rng=rng, draw=g.draw
    )
    # query: a record moves it by 1
    count = np.count_nonzero(g.norms > threshold * z)
    # release
    long = gaussian(count, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw)
    # post-process: Z grows with the share of long gradients, and shrinks without any
    share = np.clip(long / batch_size, 0.0, 1.0)
    return noisy, np.full_like(
        bounds, np.clip(z * np.exp(share - bound_rate), clip_norm, largest_norm)
    )


ALGORITHM = Algorithm(
    fit,
    source="Esipova et al. 2023 (DPSGD-Global-Adapt)",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
    ),
)
