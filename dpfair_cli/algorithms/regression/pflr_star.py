"""PFLR*: the functional mechanism with Laplace noise whose mean is the (noisy) fairness term.

Source: xu2021, Algorithm 6.
Privacy: epsilon-differential privacy of the weights.
Neighbours: replace-one, protected attribute included.
Status: proved
Differs: `fairness` is one of three readings of the fairness term (models/fairness.py); "shift" is Algorithm 6
    as printed, "penalty", the default, penalises |mu'w|, which is what the text wants from the shift. The paper's
    proof leaves out that s_bar depends on the data; its sensitivity 2d holds all the same
    (mechanisms/sensitivity.py). The noisy objective is repaired as in the functional mechanism.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.budget import require_epsilon
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.objective import (
    Bound,
    Fairness,
    Layout,
    Sensitivity,
    l1_covariance,
    l1_objective,
)
from dpfair_cli.models.regression.fairness import boundary_covariance, minimise_fair, with_fairness
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import Quadratic, logistic_polynomial


@checked
def fit(
    records: Records,
    *,
    epsilon: float = 1.0,
    objective_share: float = 0.5,  # epsilon_f / epsilon; half in xu2021, section 8.4.2
    fairness: Fairness = "penalty",
    alpha: float = 1.0,
    sensitivity: Sensitivity = "published",
    bound: Bound = "box",
    layout: Layout = "monomials",
    regularisation: float = 5.0,
    rng: np.random.Generator,
) -> LinearClassifier:
    """Weights that minimise the noisy objective with its noisy fairness term.

    Raises:
        ValueError: epsilon is not positive, objective_share not in (0, 1), or there are not two groups.
    """
    require_epsilon(epsilon)
    if not 0 < objective_share < 1:
        raise ValueError(f"objective_share must lie between 0 and 1, got {objective_share}")
    epsilon_f, epsilon_g = objective_share * epsilon, (1 - objective_share) * epsilon
    d = records.X.shape[1]
    covariance = boundary_covariance(records, bound=bound, fairness=fairness)  # bound: x in [0, 1]^d; query: (d,)
    delta_g = l1_covariance(d, sensitivity=sensitivity, bound=bound, fairness=fairness)
    mu = laplace(covariance, l1_sensitivity=delta_g, epsilon=epsilon_g, rng=rng)  # release

    objective = logistic_polynomial(records, bound=bound)  # query: (d,), (d, d)
    delta_f = l1_objective(d, sensitivity=sensitivity, bound=bound)
    noisy = laplace(objective.coefficients(layout), l1_sensitivity=delta_f, epsilon=epsilon_f, rng=rng)  # release

    quadratic = Quadratic.from_coefficients(noisy, d, layout)
    quadratic, penalty = with_fairness(quadratic, mu, fairness=fairness, alpha=alpha)
    ridge = regularisation * sqrt(2) * delta_f / epsilon_f
    return LinearClassifier(minimise_fair(quadratic.with_ridge(ridge), penalty))


ALGORITHM = Algorithm(fit, version=1)
