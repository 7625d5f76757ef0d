"""Output perturbation: fit penalised logistic regression, then add Gaussian noise to its weights.

Source: mangold2023, "Output perturbation" and Theorem 1 (after Chaudhuri, Monteleoni and Sarwate
    2011).
Privacy: (epsilon, delta)-differential privacy of the weights, with the smaller of `delta` and 1/n^2
    as delta, n of them fitted on.
Neighbours: replace-one; the number of records is public.
Status: proved
Proof: mechanisms/sensitivity/minimiser.py
Differs: clip_norm is the norm at which a standardised record is cut, and hence the Lipschitz
    constant of its loss (the sensitivity is proved in mechanisms/sensitivity/minimiser.py).
    `calibration` "classical" is the paper's sigma = clip_norm sqrt(8 log(1.25/delta)) / (n mu
    epsilon), refused above epsilon = 1, where it is not private; the default is the exact one.
    `projection` "ball" projects on |w| <= sqrt(2 log(2) / mu), which holds the minimiser whatever
    the data are; the experiments use none, as the paper's. Records are standardised by public
    constants, the paper's by means and deviations of the private data.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import capped_delta, capped_delta_of_fitted
from dpfair_cli.mechanisms.gaussian import SigmaCalibration, calibrated_sigma, gaussian
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import classifier, optimum

Projection = Literal["none", "ball"]


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    mu: PositiveFinite = 1.0,
    clip_norm: PositiveFinite = 3.0,
    calibration: SigmaCalibration = "analytic",
    projection: Projection = "none",
    train_size: Count = 1_000_000_000,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The minimiser on the first `train_size` records (all, if there are fewer) plus noise.

    Raises:
        ValueError: the classical calibration with an epsilon above 1.
    """
    n = min(train_size, len(records))
    best = optimum(
        records, clip_norm=clip_norm, ridge=mu, train_size=n
    )  # bound: |z| <= clip_norm; query: (d,)
    delta_2 = l2_minimiser(n, clip_norm=clip_norm, mu=mu)
    sigma = calibrated_sigma(calibration, delta_2, epsilon, capped_delta(delta, n))
    noisy = gaussian(best, l2_sensitivity=delta_2, sigma=sigma, rng=rng)  # release
    weights = noisy if projection == "none" else _into_ball(noisy, np.sqrt(2 * np.log(2) / mu))
    return classifier(weights, records.domain)


def _into_ball(weights: Floats, radius: float) -> Floats:
    """The nearest point of norm at most `radius`: f at the minimiser is at most f(0) = log 2."""
    return np.asarray(
        weights * min(1.0, radius / max(float(np.linalg.norm(weights)), np.finfo(float).tiny))
    )


ALGORITHM = Algorithm(fit, version=1, stated_delta=capped_delta_of_fitted)
