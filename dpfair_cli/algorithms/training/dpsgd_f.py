"""DPSGD-F: DPSGD with a clipping bound for each group, larger where more of its gradients are long.

Source: xu2021, Algorithm 7.
Privacy: (epsilon, delta)-differential privacy of all iterates.
Neighbours: add-or-remove-one; the number of records and the list of groups are public.
Status: proved
Proof: mechanisms/accounting/accountant.py, of sums of clipped gradients
Differs: the noise is scaled by the largest bound of all groups, in the batch or not. Noisy counts
    below 0 are 0 and a group counts as one record at least; where no gradient is counted as long,
    all groups have the same share of them (C^k = 2 C_0). Line 19 prints b~ / b before the sum, a
    symbol that the algorithm does not define; here it is 1 / b, as in Algorithm 8. Under two other
    variants a record also counts for (b / K) / b^k there, as in Algorithm 8, with b^k `weights`
    "exact" or "noisy"; the noise stays that of the largest C^k although a record moves the sum by
    more, so that these are refuted. The paper adds up the moments of counts and gradients; they are
    released on one batch, which costs a little more and is what epsilon covers here. Otherwise as
    dpsgd.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, Status
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
from dpfair_cli.models.training.clipping import clipping_weights, group_bounds, long_and_other
from dpfair_cli.models.training.descent import BatchGradients, train
from dpfair_cli.models.training.differentiable import differentiable
from dpfair_cli.models.training.logistic_descent import Intercept
from dpfair_cli.models.training.schedule import DEFAULT_SCHEDULE, PlannedSteps, TrainingSchedule

RecordWeights = Literal["one", "exact", "noisy"]


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
    weights: RecordWeights = "one",
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
    """Lines 6 to 20 of Algorithm 7: noisy counts, a bound for each group, the noisy sum of the
    clipped gradients.
    """
    long = g.norms > clip_norm
    counts = long_and_other(
        g.groups, long, len(bounds)
    )  # bound: a record is one of them; query: (groups, 2)
    noisy_counts = gaussian(
        counts, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw
    )  # release: m~^k, o~^k
    bounds = group_bounds(noisy_counts, clip_norm, batch_size)  # C^k
    largest = float(bounds.max())  # C
    theta = _weights(
        weights, {"exact": counts, "noisy": noisy_counts}, batch_size
    )  # (groups,), 1 as printed
    clipped = theta[g.groups] * clipping_weights(g.norms, bounds[g.groups])
    total = g.total(clipped)  # bound: |g_i| <= theta^k C^k, at most C for weights of 1; query: (p,)
    noisy = gaussian(
        total, l2_sensitivity=largest, sigma=sigma_2 * largest, rng=rng, draw=g.draw
    )  # release
    return noisy, theta * bounds


def _weights(weights: RecordWeights, counts: Mapping[str, Floats], batch_size: int) -> Floats:
    """What a record of each group counts for: 1, or (b / K) / b^k with at least one record in a
    group, (groups,).
    """
    groups = len(counts["noisy"])
    if weights == "one":
        return np.ones(groups)
    return np.asarray(batch_size / groups / np.maximum(counts[weights].sum(axis=1), 1.0))


REFUTED = {("weights", "exact"): Status.REFUTED, ("weights", "noisy"): Status.REFUTED}
ALGORITHM = Algorithm(fit, version=1, uses_groups=True, statuses=REFUTED)
