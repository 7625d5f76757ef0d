"""RaCO-DP: private stochastic descent-ascent under constraints on the rates of groups.

Source: Yaghini et al. 2025 (arXiv 2505.22703), Algorithm 1.
Differs: The classifier is a logistic regression. The histogram of a batch has Gaussian noise in
    place of Laplace noise, so that histogram and gradients of a batch are accounted as one release.
    Its cells are groups, labels and decisions, and gradients see probabilities in place of
    decisions. Numbers have public ranges, and with the `inputs` "additive" are weights of public
    knots (models/regression/additive.py). A batch is at most all records. The last weights are
    returned.
"""

from __future__ import annotations

import math

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, checked
from dpfair_cli.contracts.results import Classifier
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps
from dpfair_cli.mechanisms.accounting.training_noise import DEFAULT_NOISE, JointNoise
from dpfair_cli.mechanisms.batches import Batch, poisson_batches
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.models.regression.additive import AdditiveDesign, Inputs
from dpfair_cli.models.regression.group_gradients import (
    RecordInputs,
    clipped_gradient,
    decision_histogram,
)
from dpfair_cli.models.regression.rate_constraints import RateConstraints
from dpfair_cli.models.training.epochs import Iterate, take_steps
from dpfair_cli.models.training.sampled_descent import DEFAULT_SAMPLED, SampledDescent

SLOWER = RateConstraints(multiplier_rate=0.3)  # there are more steps, and their rates are noisier


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-6,
    inputs: Inputs = "additive",
    constraints: RateConstraints = SLOWER,
    noise: JointNoise = DEFAULT_NOISE,
    descent: SampledDescent = DEFAULT_SAMPLED,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> Classifier:
    """The classifier after all steps.

    Args:
        inputs: Whether the score is "linear" in each number, or "additive": a sum of piecewise
            linear functions.
    """
    n, groups = len(records), len(records.domain.groups)
    design, C = AdditiveDesign(records.domain, inputs), descent.clip_norm
    size = min(descent.batch_size, n)
    per_epoch = math.ceil(n / size)
    steps = NoisySteps(math.inf, size / n, descent.epochs * per_epoch)
    sigma_1, sigma_2 = noise.multipliers(epsilon, delta, steps)

    Z = np.ascontiguousarray(design.inputs(records.X))  # batches are rows
    every = RecordInputs(Z, records.y, records.protected, np.linalg.norm(Z, axis=1))

    def step(iterate: Iterate, batch: Batch) -> Iterate:
        w, multipliers = iterate
        found = every.take(batch.rows)
        # bound: a record is in one cell; query: (groups, 2, 2)
        counts = decision_histogram(found, w=w, group_count=groups)
        # release
        histogram = gaussian(counts, l2_sensitivity=1.0, sigma=sigma_1, draw=batch.draw, rng=rng)
        # post-process
        pulls = size * constraints.pulls(multipliers, histogram, sigma_1)
        multipliers = constraints.ascended(multipliers, histogram, sigma_1)
        # bound: |g_i| <= C; query: (p,)
        g = clipped_gradient(found, w=w, pulls=pulls, clip_norm=C)
        # release
        noisy = gaussian(g, l2_sensitivity=C, sigma=sigma_2 * C, draw=batch.draw, rng=rng)
        # post-process
        return w - descent.learning_rate * noisy / size, multipliers

    w, _ = take_steps(
        (np.zeros(design.size), constraints.start(groups)),
        step,
        poisson_batches(n, sampling_rate=size / n, steps=steps.steps, rng=rng),
        epochs=descent.epochs,
        steps_per_epoch=per_epoch,
        context=context,
        rng=rng,
    )
    return design.classifier(w)


ALGORITHM = Algorithm(
    fit,
    source="Yaghini et al. 2025 (arXiv 2505.22703), Algorithm 1",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ADD_OR_REMOVE_ONE,
        remark="protected attribute included",
        public="the number of records and the list of groups",
        status=Status.PROVED,
        proof="mechanisms/accounting/accountant.py",
    ),
    uses_groups=True,
)
