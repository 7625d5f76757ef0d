"""Naive: DPSGD that weights all groups equally, whatever their number of records in a batch.

Source: xu2021, Algorithm 8.
Differs: The noise is scaled by the largest weight of all groups, also of groups without a record in
    the batch. A noisy count below 1 becomes 1. The paper adds the moments of the releases of counts
    and of gradients. Here the accounting takes into account that both releases are on the same
    batch, which costs slightly more; epsilon is the cost of both. Everything else is as in dpsgd.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import CountOrZero, Delta, Epsilon, PositiveFinite, checked
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
    clip_norm: PositiveFinite = 0.5,  # C_0
    noise: JointNoise = DEFAULT_NOISE,
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    skipped_steps: CountOrZero = 0,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after all passes over the data, less the last `skipped_steps` steps.

    Args:
        clip_norm: The L2 norm to which the gradient of a record is clipped.
        intercept: Whether a logistic regression has an intercept.
        skipped_steps: The number of steps at the end of the training that are left out.

    Raises:
        ValueError: a batch is larger than the data, the noise costs more than epsilon, or a
            parameter is outside its range.
    """
    steps = PlannedSteps(training, len(data), skipped_steps)
    sigma_1, sigma_2 = noise.multipliers(epsilon, delta, steps.noisy_steps)
    model = differentiable(data, intercept=intercept, device=context.device)

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
    """The noisy weighted sum of the clipped gradients, (p,), and the clipping bound of each group.

    The computation is that of lines 5 to 14 of Algorithm 8 of xu2021. `sigma_1` is the noise
    multiplier of the counts of the groups, and `sigma_2` that of the sum.
    """
    # bound: a record is in one group; query: b^k
    counts = np.bincount(g.groups, minlength=len(bounds))
    # release: b~^k
    records = gaussian(counts, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw)
    # post-process: theta^k, and C, the largest norm of a weighted gradient
    theta = batch_size / len(bounds) / np.maximum(records, 1.0)  # (groups,)
    largest = float(clip_norm * theta.max())  # C
    # bound: |g_i| <= C_0 theta^k <= C
    weights = theta[g.groups] * clipping_weights(g.norms, clip_norm)
    # query: (p,)
    total = g.total(weights)
    # release
    noisy = gaussian(total, l2_sensitivity=largest, sigma=sigma_2 * largest, rng=rng, draw=g.draw)
    return noisy, clip_norm * theta


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Algorithm 8",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records and the list of groups",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
    ),
    uses_groups=True,
)
