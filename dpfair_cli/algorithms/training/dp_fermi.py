"""DP-FERMI: stochastic gradient descent-ascent with noise for a loss and a dependence penalty.

Source: lowy2023, Algorithm 1 with the settings of its released code.
Differs: The noise is the published one, and so is the stated sensitivity: that of one record's
    penalty with the bounds |grad p| <= L and |w| <= C (models/regression/fermi.py). Its proof
    assumes that every batch is sampled independently. As in the code, batches come from shuffled
    passes over the data, for which the audit finds a larger privacy loss. The share of the
    penalised group is computed from the data without noise. With `penalised` "first_record", as in
    the code, the choice of the penalised group depends on one record without noise. The code clips
    the gradient of each record after dividing by the batch size, at a bound that no such gradient
    reaches; this clip is left out. The last weights are returned. Inputs are standardised by the
    features of the training records, which are public here.
"""

from __future__ import annotations

import math

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, checked
from dpfair_cli.contracts.training_context import NO_CONTEXT, TrainingContext
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.mechanisms.gaussian import gaussian
from dpfair_cli.models.regression import fermi
from dpfair_cli.models.regression.linear import LinearClassifier


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-5,  # used only with the delta rule "given"
    settings: fermi.FermiTraining = fermi.DEFAULT_FERMI,
    context: TrainingContext = NO_CONTEXT,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier after all steps.

    Args:
        delta: The failure probability; used only with the `delta_rule` "given".
    """
    n = len(records)
    settings = settings.within(n)
    problem = fermi.FermiProblem(records, settings)
    noise = settings.noise_multiplier(epsilon, settings.delta(delta, n), n)
    # bound: |grad p| <= L and |w| <= C
    of_theta, of_w = _sensitivities(settings, problem.smallest)

    def release(g: fermi.FermiGradients, draw: Draw) -> tuple[Floats, Floats]:
        # release, of the query g: (p,) and (1,)
        by_theta = gaussian(
            g.weights, l2_sensitivity=of_theta, sigma=noise * of_theta, draw=draw, rng=rng
        )
        by_w = gaussian(g.dual, l2_sensitivity=of_w, sigma=noise * of_w, draw=draw, rng=rng)
        return by_theta, by_w

    return fermi.descend_and_ascend(problem, release, settings, context=context, rng=rng)


def _sensitivities(settings: fermi.FermiTraining, smallest: float) -> tuple[float, float]:
    """The published sensitivities: 2 L C / (b sqrt(rho)) and 2 / (b sqrt(rho))."""
    of_w = 2 / (settings.batch_size * math.sqrt(smallest))
    return settings.lipschitz * settings.dual_bound * of_w, of_w


ALGORITHM = Algorithm(
    fit,
    source="lowy2023, Algorithm 1 with the settings of its released code",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="all iterates",
        neighbours=Neighbours.ONE_PROTECTED_ATTRIBUTE,
        public="features, labels, the number of records and the size of the smallest group",
        status=Status.REFUTED,
        delta_remark='delta is 1/n^2 for n records, or `delta` with the delta rule "given"',
        stated_delta=fermi.stated_delta,
    ),
    uses_groups=True,
)
