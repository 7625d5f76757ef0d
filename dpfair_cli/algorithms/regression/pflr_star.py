"""PFLR*: the functional mechanism with Laplace noise whose mean is the noisy fairness term.

Source: xu2021, Algorithm 6.
Differs: `fairness` is one of the variants of the fairness term (models/regression/perturbation.py).
    "shift" is Algorithm 6 as printed: mu, the noisy covariance of group and features, is the mean
    of the noise. "penalty", the default, adds a penalty on |mu'w| instead, which is the purpose of
    the shift according to the text. The paper's proof leaves out that s_bar, the mean of the
    groups, depends on the data. The published sensitivity 2d holds nevertheless
    (mechanisms/sensitivity/objective.py). The noisy objective is repaired as in
    functional_mechanism. `noise` "per_degree" reads Delta_f in lines 5 and 6 as the part of each
    degree, d and d^2/4. By the paper's accounting it spends epsilon_f twice. The published
    sensitivities are loose, however, so that the guarantee holds for a share of at most 4/5.
    `noise` "quadratic" is a variant of ours that releases the linear coefficients without noise;
    its guarantee is refuted.
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
from dpfair_cli.mechanisms.sensitivity.objective import DEGREES_LOSS, l1_covariance, l1_degrees
from dpfair_cli.models.regression import perturbation as functional
from dpfair_cli.models.regression.linear import LinearClassifier

Noise = Literal["all", "per_degree", "quadratic"]


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    objective_share: Fraction = 0.5,  # epsilon_f / epsilon; half in xu2021, section 8.4.2
    noise: Noise = "all",
    term: functional.FairnessTerm = functional.DEFAULT_TERM,
    perturbation: functional.Perturbation = functional.DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises the sum of a noisy objective and a noisy fairness term.

    The objective is the truncated logistic loss with Laplace noise on its coefficients. The
    fairness term has separate noise.

    Args:
        objective_share: The share of epsilon for the objective; the fairness term gets the rest.
        noise: The noise of the objective: of one scale on "all" coefficients, of a scale
            "per_degree", or only on the "quadratic" ones, which is not private.

    Raises:
        ValueError: the protected attribute does not have two groups, or noise per degree would not
            be private with the other settings.
    """
    epsilon_f, epsilon_g = objective_share * epsilon, (1 - objective_share) * epsilon
    d, bound = len(records.columns), perturbation.bound
    # bound: x in [0, 1]^d; query: (d,)
    covariance = term.covariance(records, bound)
    delta_g = l1_covariance(
        d, sensitivity=perturbation.sensitivity, bound=bound, fairness=term.fairness
    )
    # bound: x in [0, 1]^d; query: (m,)
    query = perturbation.query(records)
    delta_f, units = perturbation.l1(d), np.ones(len(query))
    if noise == "per_degree":
        _require_enough_noise(objective_share, term, perturbation)
        # the same noise, with what each coefficient can change by at most and what that costs
        units[:d], units[d:] = l1_degrees(d)
        delta_f, epsilon_f = DEGREES_LOSS, DEGREES_LOSS * epsilon_f
        delta_g, epsilon_g = delta_g / 2, epsilon_g / 2

    # release
    mu = laplace(covariance, l1_sensitivity=delta_g, epsilon=epsilon_g, rng=rng)
    noisy = units * laplace(query / units, l1_sensitivity=delta_f, epsilon=epsilon_f, rng=rng)
    if noise == "quadratic":
        noisy[:d] = query[:d]  # the linear coefficients are released without noise

    # post-process
    ridge = perturbation.regularisation * sqrt(2) * units[-1] * delta_f / epsilon_f
    objective = term.added_to(perturbation.objective(noisy, d), mu)
    return LinearClassifier(objective.with_ridge(ridge).minimiser())


def _require_enough_noise(
    objective_share: float, term: functional.FairnessTerm, choices: functional.Perturbation
) -> None:
    """Refuses settings with which noise per degree has a privacy loss above epsilon.

    The covariance changes by at most half of its published sensitivity, except for "drift".
    """
    loss = DEGREES_LOSS * objective_share + (1 - objective_share) / 2
    if choices.sensitivity != "published" or term.fairness == "drift" or loss > 1:
        raise ValueError(
            'noise="per_degree" needs sensitivity="published", an objective_share of at most 0.8, '
            'and another fairness term than "drift"; its privacy loss is above epsilon otherwise'
        )


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
