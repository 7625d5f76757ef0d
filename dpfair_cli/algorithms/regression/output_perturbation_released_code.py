"""Output perturbation as the authors' code runs it: the noise of one objective on the minimiser of
another.

Source: mangold2023, the authors' code.
Privacy: (epsilon, delta)-differential privacy of the weights is claimed; it does not hold.
Neighbours: replace-one; the number of records is public.
Status: refuted
Differs: the code gives scikit-learn C = n / mu, and the penalty is then mu / n^2, not mu: the
    minimiser can move by 2 clip_norm n / mu when one record is replaced, n^2 times the sensitivity
    that the noise is made for. `dpfair audit` finds neighbours that tell. Everything else is
    `output_perturbation`, of which this is a variant, here to show its figure.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import capped_delta, capped_delta_of_fitted
from dpfair_cli.mechanisms.gaussian import SigmaCalibration, calibrated_sigma, gaussian
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import classifier, optimum


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    mu: PositiveFinite = 1.0,
    clip_norm: PositiveFinite = 3.0,
    calibration: SigmaCalibration = "analytic",
    train_size: Count = 1_000_000_000,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The minimiser with penalty mu / n^2 plus noise made for penalty mu.

    Raises:
        ValueError: the classical calibration with an epsilon above 1.
    """
    n = min(train_size, len(records))
    best = optimum(records, clip_norm=clip_norm, ridge=mu / n**2, train_size=n)  # query: (d,)
    delta_2 = l2_minimiser(n, clip_norm=clip_norm, mu=mu)  # claimed: it is that of the penalty mu
    sigma = calibrated_sigma(calibration, delta_2, epsilon, capped_delta(delta, n))
    noisy = gaussian(best, l2_sensitivity=delta_2, sigma=sigma, rng=rng)  # release
    return classifier(noisy, records.domain)


ALGORITHM = Algorithm(fit, version=1, stated_delta=capped_delta_of_fitted)
