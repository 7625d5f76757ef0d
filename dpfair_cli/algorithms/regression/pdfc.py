"""PDFC: the fair functional mechanism with more Laplace noise on one attribute's coefficients.

Source: ding2020, Algorithm 1.
Privacy: epsilon-differential privacy of the weights.
Neighbours: replace-one, protected attribute included.
Status: proved
Differs: epsilon_s and epsilon_n are not published; `attribute_ratio` = epsilon_s / epsilon_n is 0.01, the ratio in the
    method it builds on (Wang, Si and Wu 2015). An attribute encoded in k columns gets the share k/d of the paper's
    1/d. The paper's budget, epsilon = epsilon_s / d + epsilon_n (d - 1) / d, averages where the worst case counts; it
    holds only because the published sensitivity is loose, which is checked on every fit (with few features it does not,
    and the fit is refused). With `sensitivity` "tight" the budget of the others is epsilon itself. `fairness` is one of
    three readings (models/fairness.py); the noisy objective is repaired as in the functional mechanism, each direction
    by multiples of its own noise.
"""

from __future__ import annotations

from functools import partial
from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.budget import require_epsilon, split_by_attribute
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Fairness, Layout, Sensitivity, l1_fair_objective
from dpfair_cli.models.regression.fairness import (
    boundary_covariance,
    chosen_columns,
    fair_coefficients,
    involves,
    minimise_fair,
    split_coefficients,
)
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import logistic_polynomial

ROUNDING = 1e-12


@checked
def fit(
    records: Records,
    *,
    epsilon: float = 1.0,
    attribute: str = "random",  # x_s; "we randomly select an unprotected attribute"
    attribute_ratio: float = 0.01,
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
        ValueError: epsilon is not positive, the attribute is unknown, there are not two groups, or the published budget
            would not be private with so few features.
    """
    require_epsilon(epsilon)
    d = records.X.shape[1]
    columns = chosen_columns(records.domain, attribute, rng)
    l1 = partial(l1_fair_objective, bound=bound, fairness=fairness, alpha=alpha)
    delta_1 = l1(d, sensitivity=sensitivity)
    share = 0.0 if sensitivity == "tight" else len(columns) / d
    epsilon_s, epsilon_n = split_by_attribute(epsilon, attribute_ratio, share)
    # Phi_n knows d - k features, so it moves by at most their tight sensitivity; what moves elsewhere costs epsilon_s
    others, everything = l1(d - len(columns), sensitivity="tight"), l1(d, sensitivity="tight")
    if (others * (epsilon_n - epsilon_s) + everything * epsilon_s) / delta_1 > epsilon * (1 + ROUNDING):
        raise ValueError("PDFC's published budget is not private with so few features; use sensitivity 'tight'")

    objective = logistic_polynomial(records, bound=bound)  # bound: x in [0, 1]^d; query: (d,), (d, d)
    covariance = boundary_covariance(records, bound=bound, fairness=fairness)  # (d,)
    query = fair_coefficients(objective, covariance, fairness=fairness, alpha=alpha, layout=layout)
    special = involves(columns, d, fairness=fairness, layout=layout)  # the coefficients of Phi_s

    noisy = np.empty_like(query)
    noisy[special] = laplace(query[special], l1_sensitivity=delta_1, epsilon=epsilon_s, rng=rng)  # release
    noisy[~special] = laplace(query[~special], l1_sensitivity=delta_1, epsilon=epsilon_n, rng=rng)  # release

    quadratic, penalty = split_coefficients(noisy, d, fairness=fairness, layout=layout)
    deviation = sqrt(2) * delta_1 / np.where(np.isin(np.arange(d), columns), epsilon_s, epsilon_n)  # (d,)
    return LinearClassifier(minimise_fair(quadratic.with_ridge(regularisation * deviation), penalty))


ALGORITHM = Algorithm(fit, version=1)
