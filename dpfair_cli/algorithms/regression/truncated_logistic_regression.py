"""No-Privacy: the logistic loss truncated at degree two, minimised without noise.

Source: ding2020, section Baseline algorithms ("No-Privacy"); xu2021, Equation 3.10.
Differs: Directions in which the data do not vary get weight 0, as in functional_mechanism.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.partitioned_records import PartitionedRecords
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.quadratic import logistic_polynomial, minimise


@checked
def fit(
    records: Records | PartitionedRecords, *, bound: Bound = "box", rng: np.random.Generator
) -> LinearClassifier:
    """The linear classifier that minimises X'(1/2 - y)'w + w'(X'X/8)w over w.

    This objective is the truncated logistic loss of records with features X and labels y. The
    result is that of the functional mechanism at epsilon = infinity.

    Args:
        bound: The set to which records are clipped, the "box" [0, 1]^d, or also the unit "ball".
    """
    return LinearClassifier(minimise(logistic_polynomial(records, bound=bound)))


ALGORITHM = Algorithm(
    fit,
    source='ding2020, section Baseline algorithms ("No-Privacy"); xu2021, Equation 3.10',
)
