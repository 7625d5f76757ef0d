"""DP-FERMI with noise for all attributes of a record, as ghoukasian2024 runs it for comparison.

Source: ghoukasian2024, the released code (after lowy2023, Algorithm 1).
Differs: The stated sensitivities and the noise are the published ones. The proof for dp_fermi does
    not carry over: the gradient of the loss of a record is bounded by clipping the gradient of a
    whole batch, which bounds no single record, and inputs are standardised by means and deviations
    of the private records. Everything else is as in dp_fermi.
"""

from __future__ import annotations

import math

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.batches import Draw
from dpfair_cli.models.regression.fermi import (
    DEFAULT_FERMI,
    FermiGradients,
    FermiProblem,
    FermiTraining,
    descend_and_ascend,
    stated_delta,
)


@dp.checked
def fit(
    records: dp.Records,
    *,
    epsilon: dp.Epsilon = 1.0,
    delta: dp.Delta = 1e-5,
    clip_norm: dp.PositiveFinite = 5.0,
    settings: FermiTraining = DEFAULT_FERMI,
    context: dp.TrainingContext = dp.NO_CONTEXT,
    rng: np.random.Generator,
) -> dp.LinearClassifier:
    """The linear classifier after all steps.

    Args:
        delta: The failure probability; used only with the `delta_rule` "given".
        clip_norm: The norm to which the gradient of a batch by the weights is clipped.
    """
    n = len(records)
    # a batch of a small data set is at most all of its records
    settings = settings.within(n)
    problem = FermiProblem(records, settings)
    noise = settings.noise_multiplier(epsilon, settings.delta(delta, n), n)
    of_theta, of_w = _sensitivities(settings, problem.smallest)

    def release(g: FermiGradients, draw: Draw) -> tuple[dp.Floats, dp.Floats]:
        # bound, of the query g: (p,) and (1,)
        clipped = _clipped(g.weights, clip_norm)
        # release
        by_theta = dp.gaussian(
            clipped, l2_sensitivity=of_theta, sigma=noise * of_theta, draw=draw, rng=rng
        )
        by_w = dp.gaussian(g.dual, l2_sensitivity=of_w, sigma=noise * of_w, draw=draw, rng=rng)
        return by_theta, by_w

    return descend_and_ascend(problem, release, settings, context=context, rng=rng)


def _clipped(gradient: dp.Floats, bound: float) -> dp.Floats:
    """The gradient (p,), scaled down to at most the norm `bound`."""
    return np.asarray(gradient / max(1.0, float(np.linalg.norm(gradient)) / bound))


def _sensitivities(settings: FermiTraining, smallest: float) -> tuple[float, float]:
    """The sensitivities that give the published noise.

    These are sqrt(16 L^2 C^2 / rho + 32 C^4 L^2) / b and trade_off sqrt(8 (C^2 + 1 / rho)) / b.
    `smallest` is rho, the share of the smallest group less one record.
    """
    L, C, b = settings.lipschitz, settings.dual_bound, settings.batch_size
    of_theta = math.sqrt(16 * L**2 * C**2 / smallest + 32 * C**4 * L**2) / b
    of_w = settings.trade_off * math.sqrt(8 * (C**2 + 1 / smallest)) / b
    return of_theta, of_w


ALGORITHM = dp.Algorithm(
    fit,
    version=1,
    source="ghoukasian2024, the released code (after lowy2023, Algorithm 1)",
    guarantee=dp.Guarantee(
        definition=dp.Definition.APPROXIMATE,
        released="all iterates",
        neighbours=dp.Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records and the size of the smallest group",
        status=dp.Status.REFUTED,
        delta_remark='delta is 1/n^2 for n records, or `delta` with the delta rule "given"',
        stated_delta=stated_delta,
    ),
    uses_groups=True,
)
