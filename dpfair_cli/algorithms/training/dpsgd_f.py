"""DPSGD-F: DPSGD with a larger clipping bound for groups with more long gradients.

Source: xu2021, Algorithm 7.
Differs: C_0 is `clip_norm`, C^k the clipping bound of group k, b the expected batch size, b^k the
    number of records of group k in a batch, and K the number of groups. The noise is scaled by the
    largest C^k of all groups, also of groups without a record in the batch. Noisy counts below 0
    become 0, and the size of a group is at least 1. If no noisy count of long gradients is
    positive, all groups have the same share of long gradients (C^k = 2 C_0). Line 20 prints b~ / b
    before the sum, and the algorithm does not define b~. Here the factor is 1 / b, as in Algorithm
    8. Two other variants weight each record by (b / K) / b^k, as in Algorithm 8, with the exact b^k
    (`weights` "exact") or the noisy b^k ("noisy"). The noise of these two variants is still scaled
    by the largest C^k, although a record changes the sum by more, and their guarantees are refuted.
    The paper adds the moments of the releases of counts and of gradients. Here the accounting takes
    into account that both releases are on the same batch, which costs slightly more; epsilon is the
    cost of both. Everything else is as in dpsgd.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

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
    group_bounds,
    long_and_other,
    train,
)
from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps, TrainingSchedule

RecordWeights = Literal["one", "exact", "noisy"]


@checked
def fit(
    data: Records | Images,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    clip_norm: PositiveFinite = 0.5,  # C_0
    noise: JointNoise = DEFAULT_NOISE,
    weights: RecordWeights = "one",
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    skipped_steps: CountOrZero = 0,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after all passes over the data, less the last `skipped_steps` steps.

    Args:
        clip_norm: C_0, the smallest clipping bound of a group.
        weights: The weight of a record: "one", or larger for groups with few records in the batch.
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
        _step,
        weights=weights,
        clip_norm=clip_norm,
        batch_size=training.batch_size,
        sigma_1=sigma_1,
        sigma_2=sigma_2,
    )
    cost = spending(steps.noisy_steps, delta, [sigma_1, sigma_2])
    return train(model, rule, steps, clip_norm=clip_norm, spending=cost, context=context, rng=rng)


def _step(
    g: BatchGradients,
    bounds: Floats,
    rng: np.random.Generator,
    *,
    weights: RecordWeights,
    clip_norm: float,
    batch_size: int,
    sigma_1: float,
    sigma_2: float,
) -> tuple[Floats, Floats]:
    """The noisy sum of the clipped gradients, (p,), and each group's clipping bound, (groups,).

    The computation is that of lines 6 to 20 of Algorithm 7 of xu2021. `sigma_1` is the noise
    multiplier of the counts of long gradients, and `sigma_2` that of the sum.
    """
    long = g.norms > clip_norm
    # bound: a record is in one group, and long or not; query: (groups, 2)
    counts = long_and_other(g.groups, long, len(bounds))
    # release: m~^k, o~^k
    noisy_counts = gaussian(counts, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw)
    # post-process: the bounds C^k, and C, the largest of them
    bounds = group_bounds(noisy_counts, clip_norm, batch_size)  # C^k
    largest = float(bounds.max())  # C
    # (groups,), 1 as printed
    theta = _weights(weights, {"exact": counts, "noisy": noisy_counts}, batch_size)
    # bound: |g_i| <= theta^k C^k, which is at most C for weights of 1
    clipped = theta[g.groups] * clipping_weights(g.norms, bounds[g.groups])
    # query: (p,)
    total = g.total(clipped)
    # release
    noisy = gaussian(total, l2_sensitivity=largest, sigma=sigma_2 * largest, rng=rng, draw=g.draw)
    return noisy, theta * bounds


def _weights(weights: RecordWeights, counts: Mapping[str, Floats], batch_size: int) -> Floats:
    """The factor by which the gradients of the records of each group are multiplied, (groups,).

    With `weights` "one" the factor is 1. Otherwise the factor is (b / K) / b_k, where b is
    `batch_size`, K is the number of groups, and b_k is the exact or noisy number of records of
    group k in the batch, at least 1.
    """
    groups = len(counts["noisy"])
    if weights == "one":
        return np.ones(groups)
    return np.asarray(batch_size / groups / np.maximum(counts[weights].sum(axis=1), 1.0))


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Algorithm 7",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records and the list of groups",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
        variants={("weights", "exact"): Status.REFUTED, ("weights", "noisy"): Status.REFUTED},
    ),
    uses_groups=True,
)
