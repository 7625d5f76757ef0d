"""PFLR*: the functional mechanism with Laplace noise whose mean is the noisy fairness term.

Source: xu2021, Algorithm 6.
Differs: `fairness` is one of the variants of the fairness term (models/regression/perturbation.py).
    "shift" is Algorithm 6 as printed: mu, the noisy covariance of group and features, is the mean
    of the noise. "penalty", the default, adds a penalty on |mu'w| instead, which is the purpose of
    the shift according to the text. The paper's proof leaves out that s_bar, the mean of the
    groups, depends on the data. The published sensitivity 2d holds nevertheless
    (mechanisms/sensitivity/objective.py). The noisy objective is repaired as in
    functional_mechanism. `noise` "quadratic" is a variant of ours that releases the linear
    coefficients without noise; its guarantee is refuted.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.objective import l1_covariance
from dpfair_cli.models.regression import perturbation as functional
from dpfair_cli.models.regression.linear import LinearClassifier

NoisyCoefficients = Literal["all", "quadratic"]


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    objective_share: Fraction = 0.5,  # epsilon_f / epsilon; half in xu2021, section 8.4.2
    noise: NoisyCoefficients = "all",
    term: functional.FairnessTerm = functional.DEFAULT_TERM,
    perturbation: functional.Perturbation = functional.DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises the sum of a noisy objective and a noisy fairness term.

    The objective is the truncated logistic loss with Laplace noise on its coefficients. The
    fairness term has separate noise.

    Args:
        objective_share: The share of epsilon for the objective; the fairness term gets the rest.
        noise: The coefficients that get noise, all or the quadratic ones; only "all" is private.

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    epsilon_f, epsilon_g = objective_share * epsilon, (1 - objective_share) * epsilon
    d, bound = len(records.columns), perturbation.bound
    # bound: x in [0, 1]^d; query: (d,)
    covariance = term.covariance(records, bound)
    delta_g = l1_covariance(
        d, sensitivity=perturbation.sensitivity, bound=bound, fairness=term.fairness
    )
    # release
    mu = laplace(covariance, l1_sensitivity=delta_g, epsilon=epsilon_g, rng=rng)

    # bound: x in [0, 1]^d; query: (m,)
    query = perturbation.query(records)
    delta_f = perturbation.l1(d)
    # release
    noisy = laplace(query, l1_sensitivity=delta_f, epsilon=epsilon_f, rng=rng)
    if noise == "quadratic":
        noisy[:d] = query[:d]  # the linear coefficients are released without noise

    # post-process
    ridge = perturbation.regularisation * sqrt(2) * delta_f / epsilon_f
    objective = term.added_to(perturbation.objective(noisy, d), mu)
    return LinearClassifier(objective.with_ridge(ridge).minimiser())


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Algorithm 6",
    guarantee=Guarantee(
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
        variants={("noise", "quadratic"): Status.REFUTED},
    ),
    uses_groups=True,
)
