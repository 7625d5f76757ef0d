"""PFLR: the functional mechanism applied to the fair objective.

Source: xu2021, Algorithm 5.
Privacy: epsilon-differential privacy of the weights.
Neighbours: replace-one, protected attribute included.
Status: proved
Differs: `fairness` is one of three readings of the fairness term (models/fairness.py). "drift" is line 3 as printed;
    "penalty", the default, releases the covariance beside the coefficients, with the same noise, and penalises it after
    the release: the published sensitivity d^2/4 + 3d covers both, also with the data-dependent mean s_bar that the
    paper's proof leaves out (mechanisms/sensitivity.py). The noisy objective is repaired as in the functional
    mechanism.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Fairness, Layout, Sensitivity, l1_fair_objective
from dpfair_cli.models.regression.fairness import (
    boundary_covariance,
    fair_coefficients,
    minimise_fair,
    split_coefficients,
)
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import logistic_polynomial


@checked
def fit(
    records: Records,
    *,
    epsilon: float = 1.0,
    fairness: Fairness = "penalty",
    alpha: float = 1.0,
    sensitivity: Sensitivity = "published",
    bound: Bound = "box",
    layout: Layout = "monomials",
    regularisation: float = 5.0,
    rng: np.random.Generator,
) -> LinearClassifier:
    """Weights that minimise the noisy fair objective.

    Raises:
        ValueError: epsilon is not positive, or the protected attribute does not have two groups.
    """
    d = records.X.shape[1]
    objective = logistic_polynomial(records, bound=bound)  # bound: x in [0, 1]^d; query: (d,), (d, d)
    covariance = boundary_covariance(records, bound=bound, fairness=fairness)  # (d,)
    query = fair_coefficients(objective, covariance, fairness=fairness, alpha=alpha, layout=layout)
    delta_1 = l1_fair_objective(d, sensitivity=sensitivity, bound=bound, fairness=fairness, alpha=alpha)
    noisy = laplace(query, l1_sensitivity=delta_1, epsilon=epsilon, rng=rng)  # release
    quadratic, penalty = split_coefficients(noisy, d, fairness=fairness, layout=layout)
    ridge = regularisation * sqrt(2) * delta_1 / epsilon
    return LinearClassifier(minimise_fair(quadratic.with_ridge(ridge), penalty))


ALGORITHM = Algorithm(fit, version=1)
