"""PFLR: the functional mechanism applied to the fair objective.

Source: xu2021, Algorithm 5.
Differs: `fairness` is one of the variants of the fairness term (models/regression/perturbation.py).
    "drift" is line 3 as printed. "penalty", the default, releases the covariance of group and
    features together with the coefficients, with the same noise, and adds the penalty on this
    covariance after the release. The published sensitivity d^2/4 + 3d covers both variants. This
    sensitivity also covers the change of the mean s_bar of the groups, which depends on the data
    and which the paper's proof leaves out (mechanisms/sensitivity/objective.py). The noisy
    objective is repaired as in functional_mechanism.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.models.regression import perturbation as functional
from dpfair_cli.models.regression.linear import LinearClassifier


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    term: functional.FairnessTerm = functional.DEFAULT_TERM,
    perturbation: functional.Perturbation = functional.DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises a noisy objective with a fairness term.

    The objective is the truncated logistic loss plus the fairness term `term`, with Laplace noise
    on the coefficients.

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    d, fair = len(records.columns), functional.FairPerturbation(term, perturbation)
    # bound: x in [0, 1]^d; query: (m,)
    query = fair.query(records)
    delta_1 = fair.l1(d)
    # release
    noisy = laplace(query, l1_sensitivity=delta_1, epsilon=epsilon, rng=rng)
    # post-process
    ridge = perturbation.regularisation * sqrt(2) * delta_1 / epsilon
    return LinearClassifier(fair.objective(noisy, d).with_ridge(ridge).minimiser())


ALGORITHM = Algorithm(
    fit,
    version=1,
    source="xu2021, Algorithm 5",
    guarantee=Guarantee(
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
    ),
    uses_groups=True,
)
