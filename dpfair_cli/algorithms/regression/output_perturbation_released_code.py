"""Output perturbation as in the authors' code, whose noise is for another penalty than the fit's.

Source: mangold2023, the authors' code.
Differs: The authors' code passes C = n / mu to scikit-learn, for which the penalty of the mean loss
    is mu / n^2 and not mu. The minimiser can move by 2 clip_norm n / mu when one record is
    replaced, which is n^2 times the sensitivity that the noise is calibrated to. `dpfair audit`
    finds such neighbours. Everything else is as in output_perturbation.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import capped_delta, capped_delta_of_fitted
from dpfair_cli.mechanisms.gaussian import calibrated_sigma, gaussian
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression import logistic
from dpfair_cli.models.regression.linear import LinearClassifier


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    settings: logistic.OutputNoise = logistic.DEFAULT_OUTPUT_NOISE,
    train_size: Count = 1_000_000_000,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier whose weights are a minimiser plus too little noise.

    The loss is minimised with the penalty mu / n^2, where n is the number of records and mu a field
    of `settings`, but the noise is calibrated for the penalty mu.

    Args:
        train_size: The number of records, from the first, on which the minimiser is computed.

    Raises:
        ValueError: the calibration is "classical" and epsilon is above 1.
    """
    n = min(train_size, len(records))
    ridge = settings.mu / n**2  # the penalty of the code
    # bound: |z| <= clip_norm; query: (d,)
    best = logistic.optimum(records, clip_norm=settings.clip_norm, ridge=ridge, train_size=n)
    # stated: the sensitivity for the penalty mu
    delta_2 = l2_minimiser(n, clip_norm=settings.clip_norm, mu=settings.mu)
    sigma = calibrated_sigma(settings.calibration, delta_2, epsilon, capped_delta(delta, n))
    # release
    noisy = gaussian(best, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process
    return logistic.classifier(noisy, records.domain)


ALGORITHM = Algorithm(
    fit,
    source="mangold2023, the authors' code",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.REFUTED,
        delta_remark="delta is the smaller of `delta` and 1/n^2 for n records fitted on",
        stated_delta=capped_delta_of_fitted,
    ),
)
