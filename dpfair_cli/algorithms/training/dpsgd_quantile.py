"""DPSGD that clips gradients at the quantile of their norms with the least error of the noisy sum.

Source: xu2021, Section 9.3.2, Equation 9.1 (after Amin et al. 2019); the private quantile is that
    of Andrew et al. 2021.
Differs: The dissertation derives the clipping bound C with the least error of one batch, the
    (1 - 1 / (b epsilon))-quantile of the norms of its b gradients, and uses it in no experiment.
    For Laplace noise of scale C / epsilon on a number, 1 / epsilon is the mean absolute error of
    the noise in units of C. The noise of DPSGD is Gaussian with deviation sigma_2 C in each of p
    coordinates. With `error` "number" the mean absolute error of one coordinate, sigma_2 sqrt(2 /
    pi), takes the place of 1 / epsilon; with "vector" it is sigma_2 sqrt(p), which is about the
    mean length of the noise. `quantile` "exact" reads the quantile from each batch: C depends on
    the data without noise, and the guarantee is refuted. The dissertation gives no private way.
    "private" starts at `clip_norm` and multiplies C after each batch by exp(`bound_rate` (noisy
    share of gradients longer than C - share that the quantile leaves above it)). The share is
    the noisy number divided by the expected batch size. A factor is at least 1/e and at most e,
    and C is at most `largest_norm`. Counts and gradients are released on the same batch, and
    epsilon is the cost of both. Everything else is as in dpsgd.
"""

from __future__ import annotations

from functools import partial
from math import ceil, exp, pi, sqrt
from typing import Literal

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

Quantile = Literal["private", "exact"]
NoiseError = Literal["number", "vector"]
SMALLEST = 1e-6  # of a clipping bound, so that the noise stays positive


@checked
def fit(
    data: Records | Images,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    clip_norm: PositiveFinite = 0.5,  # the initial C
    largest_norm: PositiveFinite = 50.0,  # of C
    bound_rate: PositiveFinite = 0.2,  # as in Andrew et al.
    quantile: Quantile = "private",
    error: NoiseError = "number",
    noise: JointNoise = DEFAULT_NOISE,
    intercept: Intercept = "with",
    training: TrainingSchedule = DEFAULT_SCHEDULE,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after as many passes over the data as `training` says.

    Args:
        clip_norm: The clipping bound C of the first batch.
        largest_norm: The largest value of C.
        bound_rate: The rate at which C follows the noisy share of long gradients.
        quantile: How the quantile is found: by noisy counts, or from the exact norms of each batch,
            which is not private.
        error: The error of the noise that Equation 9.1 weighs: of one number, or of the vector.
        intercept: Whether a logistic regression has an intercept.

    Raises:
        ValueError: a batch is larger than the data, the noise costs more than epsilon, or a
            parameter is outside its range.
    """
    steps = PlannedSteps(training, len(data))
    sigma_1, sigma_2 = noise.multipliers(epsilon, delta, steps.noisy_steps)
    model = differentiable(data, intercept=intercept, device=context.device)
    rule = partial(
        _step,
        largest_norm=largest_norm,
        bound_rate=bound_rate,
        quantile=quantile,
        error=error,
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
    largest_norm: float,
    bound_rate: float,
    quantile: Quantile,
    error: NoiseError,
    batch_size: int,
    sigma_1: float,
    sigma_2: float,
) -> tuple[Floats, Floats]:
    """The noisy sum of the clipped gradients, (p,), and the next clipping bound for each group.

    `sigma_1` is the noise multiplier of the count of long gradients, and `sigma_2` that of the sum.
    """
    # the number of gradients that the quantile leaves above it, 1 / epsilon
    longer = sigma_2 * sqrt(2 / pi)
    if error == "vector":
        longer = sigma_2 * sqrt(len(g.total(np.zeros(len(g.norms)))))  # p
    bound = float(bounds[0])
    if quantile == "exact" and len(g.norms):  # not private
        rank = min(max(ceil(longer), 1), len(g.norms))
        bound = min(max(float(np.sort(g.norms)[-rank]), SMALLEST), largest_norm)
    # bound: |g_i| <= C; query: (p,)
    total = g.total(clipping_weights(g.norms, bound))
    # release
    noisy = gaussian(total, l2_sensitivity=bound, sigma=sigma_2 * bound, rng=rng, draw=g.draw)
    # query: a record moves it by 1
    count = np.count_nonzero(g.norms > bound)
    # release
    long = gaussian(count, l2_sensitivity=1.0, sigma=sigma_1, rng=rng, draw=g.draw)
    # post-process: C grows while more gradients are longer than the quantile leaves above it
    growth = bound_rate * float(long - longer) / batch_size
    following = bound * exp(min(max(growth, -1.0), 1.0))
    return noisy, np.full_like(bounds, min(max(following, SMALLEST), largest_norm))


ALGORITHM = Algorithm(
    fit,
    source=(
        "xu2021, Section 9.3.2, Equation 9.1 (after Amin et al. 2019); the private quantile is "
        "that of Andrew et al. 2021"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
        variants={("quantile", "exact"): Status.REFUTED},
    ),
)
