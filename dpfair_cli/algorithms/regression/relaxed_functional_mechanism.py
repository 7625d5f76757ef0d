"""Relaxed functional mechanism: Gaussian noise on the truncated logistic objective.

Source: ding2020, Algorithm 2 (RFM).
Differs: The noisy objective is repaired as in functional_mechanism (diagonal, small eigenvalues).
    `calibration` "extended" is the paper's (Theorem 2). "analytic" is the exact calibration.
    "classical" is not private above epsilon = 1, where a fit with this calibration is refused.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Definition, Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Delta, Epsilon, checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.gaussian import SigmaCalibration, calibrated_sigma, gaussian
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.perturbation import DEFAULT_PERTURBATION, Perturbation
from dpfair_cli.models.regression.quadratic import minimise


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    delta: Delta = 1e-3,
    calibration: SigmaCalibration = "extended",
    perturbation: Perturbation = DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises the truncated logistic loss with Gaussian noise.

    The noise is added to the coefficients of the loss.

    Args:
        calibration: The formula of the Gaussian noise; "extended" is the paper's, and "classical"
            is refused above epsilon 1.

    Raises:
        ValueError: the calibration is "classical" and epsilon is above 1.
    """
    d = len(records.columns)
    # bound: x in [0, 1]^d; query: (m,)
    query = perturbation.query(records)
    delta_2 = perturbation.l2(d)
    sigma = calibrated_sigma(calibration, delta_2, epsilon, delta)
    # release
    noisy = gaussian(query, l2_sensitivity=delta_2, sigma=sigma, rng=rng)
    # post-process
    return LinearClassifier(
        minimise(perturbation.objective(noisy, d).with_ridge(perturbation.regularisation * sigma))
    )


ALGORITHM = Algorithm(
    fit,
    source="ding2020, Algorithm 2 (RFM)",
    guarantee=Guarantee(
        definition=Definition.APPROXIMATE,
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
    ),
)
