"""DPSGD logistic regression, then random flips that equalise noisy selection rates of groups.

Source: ghoukasian2024, Algorithm 2 and its released code.
Differs: With `group_sizes` "noisy" the size of each group is released with half of the budget of
    its rate. The paper divides by the exact sizes ("exact"), which is private only if the sizes are
    public. With `numbers` "in_range" numbers are scaled by public ranges. The code standardises
    them by means and deviations of the private records ("standardised"), which is not private.
    Batches are Poisson samples, as the accounting assumes; the neighbours are those of dpsgd. The
    budget is the paper's sum of the parts. As the parts use different records, the largest of them
    would do (mechanisms/sensitivity/group_rates.py). For more than two groups the target of the
    flips is the mean of all rates.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.training_noise import NoiseCalibration, training_noise
from dpfair_cli.mechanisms.sensitivity.group_rates import L1_COUNT, l1_rate
from dpfair_cli.models.regression.full_design import full_design, random_start
from dpfair_cli.models.training.descent import LinearGradients, clipping_weights
from dpfair_cli.models.training.epochs import Iterate, take_steps

from ..models.group_flips import GroupFlips, base_decision, flips
from ..models.learning_part import DEFAULT_LEARNING, LearningSteps

GroupSizes = Literal["noisy", "exact"]


@dp.checked
def fit(
    records: dp.Records,
    *,
    epsilon: dp.Epsilon = 1.0,
    delta: dp.Delta = 1e-5,
    rate_share: dp.Fraction = 0.1 / 3,
    group_sizes: GroupSizes = "noisy",
    calibration: NoiseCalibration = "pld",
    noise_multiplier: dp.NotNegativeFinite = 1.0,  # used only with calibration "given"
    learning: LearningSteps = DEFAULT_LEARNING,
    context: dp.TrainingContext = dp.NO_CONTEXT,
    rng: np.random.Generator,
) -> GroupFlips:
    """The randomised rule with nearly equal selection rates of the groups.

    Args:
        rate_share: The share of epsilon for the selection rates, in equal parts for the groups.
        group_sizes: Whether the numbers of members of the groups are released with noise or used
            without noise.
        calibration: The accountant that finds the noise, or "given" for the noise
            `noise_multiplier`.
        noise_multiplier: The noise multiplier; used only with the calibration "given".

    Raises:
        ValueError: the noise costs more than epsilon.
    """
    n, groups = len(records), len(records.domain.groups)
    epsilon_rate = rate_share * epsilon / groups
    epsilon_learning = (1 - rate_share) * epsilon  # + groups * epsilon_rate = epsilon
    sigma = training_noise(
        calibration,
        epsilon_learning,
        delta,
        noise_multiplier=noise_multiplier,
        batches=learning.noisy_steps(n),
    )
    # classifier and rates from different records, as in Algorithm 2
    order = rng.permutation(n)
    part = order[: learning.records(n)]
    base = _learned(records, part, sigma, learning, context=context, rng=rng)
    after = np.setdiff1d(_all_rows(n, rng), part)  # other records
    rates = _noisy_rates(records, after, base, epsilon_rate, group_sizes, rng=rng)
    return GroupFlips(base.weights, base.intercepts, flips(rates))  # post-process


def _learned(
    records: dp.Records,
    part: dp.Ints,
    sigma: float,
    settings: LearningSteps,
    *,
    context: dp.TrainingContext,
    rng: np.random.Generator,
) -> GroupFlips:
    """The classifier that DPSGD learns from the records whose indices are `part`, without flips."""
    design = full_design(records, numbers=settings.numbers)
    indicators = np.eye(len(records.domain.groups))[:, 1:]  # an input for each group but the first
    z = np.hstack([design.inputs(records.X), indicators[records.protected]])  # (n, p)
    lengths, labels = np.linalg.norm(z, axis=1), records.y.astype(float)
    # Poisson batches are drawn from all records, and then cut down to the part: a record that
    # is added moves no other one into or out of a batch
    chosen = np.isin(np.arange(len(records)), part)
    steps, clip = settings.noisy_steps(len(records)), settings.clip_norm
    rate = settings.learning_rate / (len(part) * steps.sampling_rate)  # by the expected batch

    def step(iterate: Iterate, batch: dp.Batch) -> Iterate:
        (theta,) = iterate
        rows = batch.rows[chosen[batch.rows]]
        z_batch = z.take(rows, axis=0)  # faster than indexing
        g = LinearGradients(z_batch, labels[rows], lengths[rows], z_batch @ theta)
        total = g.total(clipping_weights(g.norms, clip))  # bound: |g_i| <= C; query: (p,)
        noisy = dp.gaussian(
            total, l2_sensitivity=clip, sigma=sigma * clip, draw=batch.draw, rng=rng
        )  # release
        return (theta - rate * noisy,)

    batches = dp.poisson_batches(
        len(records), sampling_rate=steps.sampling_rate, steps=steps.steps, rng=rng
    )
    (theta,) = take_steps(
        (random_start(z.shape[1], rng),),
        step,
        batches,
        epochs=settings.epochs,
        steps_per_epoch=steps.steps // settings.epochs,
        context=context,
        rng=rng,
    )
    features = len(design.shift)
    base = design.classifier(theta[:features])
    intercepts = base.intercept + indicators @ theta[features:]
    return GroupFlips(base.weights, intercepts, np.array([[0.0], [1.0]]).repeat(len(indicators), 1))


def _all_rows(n: int, rng: np.random.Generator) -> dp.Ints:
    """The indices of all records that are present."""
    return next(dp.poisson_batches(n, sampling_rate=1.0, steps=1, rng=rng)).rows


def _noisy_rates(
    records: dp.Records,
    rows: dp.Ints,
    base: GroupFlips,
    epsilon: float,
    group_sizes: GroupSizes,
    *,
    rng: np.random.Generator,
) -> dp.Floats:
    """The noisy selection rate of each group, in [0, 1], (groups,).

    The rates are those of the records whose indices are `rows`. `epsilon` is the budget of one
    group.
    """
    part = records.protected[rows]
    decisions = base_decision(records.X[rows], part, base.weights, base.intercepts)
    rates = np.zeros(len(records.domain.groups))
    for group in range(len(rates)):
        selected = decisions[part == group].sum()  # query
        size = int((part == group).sum())  # query
        if group_sizes == "exact":
            rates[group] = dp.laplace(  # release
                selected / max(size, 1), l1_sensitivity=l1_rate(size), epsilon=epsilon, rng=rng
            )
        else:
            noisy_size, noisy_selected = (  # release, with epsilon / 2 + epsilon / 2 = epsilon
                float(dp.laplace(count, l1_sensitivity=L1_COUNT, epsilon=epsilon / 2, rng=rng))
                for count in (size, selected)
            )
            rates[group] = noisy_selected / max(noisy_size, 1.0)
    # noise can push a rate out of its range
    return rates.clip(0, 1)


ALGORITHM = dp.Algorithm(
    fit,
    version=1,
    source="ghoukasian2024, Algorithm 2 and its released code",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="all iterates and the rule",
        neighbours=dp.Neighbours.ADD_OR_REMOVE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=dp.Status.PROVED,
        proof="mechanisms/accounting/accountant.py and mechanisms/sensitivity/group_rates.py",
        variants={
            ("numbers", "standardised"): dp.Status.REFUTED,
            ("group_sizes", "exact"): dp.Status.REFUTED,
        },
    ),
    uses_groups=True,
)
