"""Output perturbation: penalised logistic regression with Gaussian noise on its weights.

Source: mangold2023, "Output perturbation" and Theorem 1 (after Chaudhuri, Monteleoni and Sarwate
    2011).
Differs: `clip_norm` is the norm to which standardised records are clipped, and therefore the
    Lipschitz constant of the loss of a record (proof of the sensitivity:
    mechanisms/sensitivity/minimiser.py). `calibration` "classical" is the paper's sigma = clip_norm
    sqrt(8 log(1.25/delta)) / (n mu epsilon). It is proved up to epsilon = 1; above, a fit with
    "classical" is refused. The default is the exact calibration. `projection` "ball" projects
    the noisy weights w onto the ball |w| <= sqrt(2 log(2) / mu), which contains the minimiser for
    any data. The experiments do not project, as in the paper. Records are standardised by public
    constants; the paper uses means and standard deviations of the private data.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Delta, Epsilon, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.budget import capped_delta, capped_delta_of_fitted
from dpfair_cli.mechanisms.gaussian import calibrated_sigma, gaussian
from dpfair_cli.mechanisms.sensitivity.minimiser import l2_minimiser
from dpfair_cli.models.regression import logistic
from dpfair_cli.models.regression.linear import LinearClassifier

Projection = Literal["none", "ball"]


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    settings: logistic.OutputNoise = logistic.DEFAULT_OUTPUT_NOISE,
    projection: Projection = "none",
    train_size: Count = 1_000_000_000,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier whose weights are the minimiser of the regularised loss plus noise.

    The minimiser is computed on the first `train_size` records, or on all if there are fewer.

    Args:
        projection: Whether the noisy weights are projected onto the "ball" that contains the
            minimiser.
        train_size: The number of records, from the first, on which the minimiser is computed.

    Raises:
        ValueError: the calibration is "classical" and epsilon is above 1.
    """
    n = min(train_size, len(records))
    # bound: |z| <= clip_norm; query: (d,)
    best = logistic.optimum(records, clip_norm=settings.clip_norm, ridge=settings.mu, train_size=n)
    delta_2 = l2_minimiser(n, clip_norm=settings.clip_norm, mu=settings.mu)
    sigma = calibrated_sigma(settings.calibration, delta_2, epsilon, capped_delta(delta, n))
    # release
    noisy = gaussian(best, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process
    # the ball contains the minimiser for any data, so that it is public
    if projection == "ball":
        noisy = _into_ball(noisy, np.sqrt(2 * np.log(2) / settings.mu))
    return logistic.classifier(noisy, records.domain)


def _into_ball(weights: Floats, radius: float) -> Floats:
    """The weights of norm at most `radius` that are nearest to `weights`, (d,).

    The norm of the minimiser of the regularised loss f is at most the radius that the fit passes,
    because f at the minimiser is at most f(0) = log 2.
    """
    return np.asarray(
        weights * min(1.0, radius / max(float(np.linalg.norm(weights)), np.finfo(float).tiny))
    )


ALGORITHM = Algorithm(
    fit,
    version=2,
    source=(
        'mangold2023, "Output perturbation" and Theorem 1 (after Chaudhuri, Monteleoni and '
        "Sarwate 2011)"
    ),
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/minimiser.py",
        delta_remark="delta is the smaller of `delta` and 1/n^2 for n records fitted on",
        stated_delta=capped_delta_of_fitted,
    ),
)
