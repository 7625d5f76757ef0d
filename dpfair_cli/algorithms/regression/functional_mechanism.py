"""Functional mechanism: Laplace noise on the coefficients of the truncated logistic objective.

Source: Zhang et al. 2012, Algorithms 1 and 2; xu2021, section 3.1.5 (PrivLR); ding2020, section
    Functional Mechanism.
Differs: The noisy objective may have no minimum. As in Zhang et al. (section 6), `regularisation`
    standard deviations of the noise are added to the diagonal, and eigenvalues below 1e-8 are
    deleted with their directions. Both repairs are post-processing. The code of Zhang et al. adds 5
    standard deviations, and other texts say 4. `layout` says which second-degree coefficients get
    noise: those of all monomials, or all entries of the matrix. `sensitivity` "tight" and `bound`
    "ball" are ours (mechanisms/sensitivity/objective.py).
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
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.perturbation import DEFAULT_PERTURBATION, Perturbation
from dpfair_cli.models.regression.quadratic import minimise


@checked
def fit(
    records: Records | PartitionedRecords,
    *,
    epsilon: Epsilon = 1.0,
    perturbation: Perturbation = DEFAULT_PERTURBATION,
    rng: np.random.Generator,
) -> LinearClassifier:
    """The linear classifier that minimises the truncated logistic loss with noisy coefficients."""
    d = len(records.columns)
    # bound: x in [0, 1]^d; query: (m,)
    query = perturbation.query(records)
    delta_1 = perturbation.l1(d)
    # release
    noisy = laplace(query, l1_sensitivity=delta_1, epsilon=epsilon, rng=rng)
    # post-process
    ridge = perturbation.regularisation * sqrt(2) * delta_1 / epsilon
    return LinearClassifier(minimise(perturbation.objective(noisy, d).with_ridge(ridge)))


ALGORITHM = Algorithm(
    fit,
    source=(
        "Zhang et al. 2012, Algorithms 1 and 2; xu2021, section 3.1.5 (PrivLR); ding2020, section "
        "Functional Mechanism"
    ),
    guarantee=Guarantee(
        released="the weights",
        neighbours=Neighbours.REPLACE_ONE,
        public="the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/objective.py",
    ),
)
