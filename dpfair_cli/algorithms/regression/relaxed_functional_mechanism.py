"""Relaxed functional mechanism: Gaussian instead of Laplace noise on the truncated logistic objective.

Source: ding2020, Algorithm 2 (RFM).
Privacy: (epsilon, delta)-differential privacy of the weights.
Neighbours: replace-one.
Status: proved
Differs: the noisy objective is repaired as in the functional mechanism (diagonal, small eigenvalues). `calibration`
    "extended" is the paper's (Theorem 2); "analytic" is the exact one; "classical" is refused above epsilon = 1, where
    it does not hold.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.gaussian import Calibration, calibrated_sigma, gaussian
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Layout, Sensitivity, l2_objective
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import Quadratic, logistic_polynomial, minimise


@checked
def fit(
    records: Records,
    *,
    epsilon: float = 1.0,
    delta: float = 1e-3,
    calibration: Calibration = "extended",
    sensitivity: Sensitivity = "published",
    bound: Bound = "box",
    layout: Layout = "monomials",
    regularisation: float = 5.0,
    rng: np.random.Generator,
) -> LinearClassifier:
    """Weights that minimise the noisy truncated objective.

    Raises:
        ValueError: epsilon is not positive, or delta not in (0, 1).
    """
    d = records.X.shape[1]
    objective = logistic_polynomial(records, bound=bound)  # bound: x in [0, 1]^d; query: (d,), (d, d)
    delta_2 = l2_objective(d, sensitivity=sensitivity, bound=bound, layout=layout)
    sigma = calibrated_sigma(calibration, delta_2, epsilon, delta)
    noisy = gaussian(objective.coefficients(layout), l2_sensitivity=delta_2, sigma=sigma, rng=rng)  # release
    quadratic = Quadratic.from_coefficients(noisy, d, layout).with_ridge(regularisation * sigma)
    return LinearClassifier(minimise(quadratic))


ALGORITHM = Algorithm(fit, version=1)
