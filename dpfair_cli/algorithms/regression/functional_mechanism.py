"""Functional mechanism: Laplace noise on the coefficients of the truncated logistic objective.

Source: Zhang et al. 2012, Algorithms 1 and 2; xu2021, section 3.1.5 (PrivLR); ding2020, section Functional Mechanism.
Privacy: epsilon-differential privacy of the weights.
Neighbours: replace-one.
Status: proved
Differs: the noisy objective may have no minimum; as in Zhang et al. (section 6), `regularisation` standard
    deviations of the noise are added to the diagonal and eigenvalues below 1e-8 are deleted with their directions;
    both are post-processing. Their code adds 5 deviations, other texts say 4. `layout` is the set of products that
    get noise. `sensitivity` "tight" and `bound` "ball" are ours (mechanisms/sensitivity.py).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.people import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Layout, Sensitivity, l1_objective
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import Quadratic, logistic_polynomial, minimise


@checked
def fit(
    records: Records,
    *,
    epsilon: float = 1.0,
    sensitivity: Sensitivity = "published",
    bound: Bound = "box",
    layout: Layout = "monomials",
    regularisation: float = 5.0,
    rng: np.random.Generator,
) -> LinearClassifier:
    """Weights that minimise the noisy truncated objective.

    Raises:
        ValueError: epsilon is not positive.
    """
    d = records.X.shape[1]
    objective = logistic_polynomial(records, bound=bound)  # bound: x in [0, 1]^d; query: (d,), (d, d)
    delta_1 = l1_objective(d, sensitivity=sensitivity, bound=bound)
    noisy = laplace(objective.coefficients(layout), l1_sensitivity=delta_1, epsilon=epsilon, rng=rng)  # release
    ridge = regularisation * sqrt(2) * delta_1 / epsilon
    return LinearClassifier(minimise(Quadratic.from_coefficients(noisy, d, layout).with_ridge(ridge)))


ALGORITHM = Algorithm(fit, version=1)
