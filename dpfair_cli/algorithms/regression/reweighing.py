"""Reweighing: logistic regression on records with weights that make label and group independent.

Source: Kamiran and Calders (2012), Reweighing.
Differs: The paper leaves the classifier open. Here the classifier is that of the method
    logistic_regression, with the same penalty. The weights add up to the number of records. There
    may be more than two groups.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import independence_weights, weighted_logistic


@checked
def fit(
    records: Records, *, l2: PositiveFinite = 1.0, rng: np.random.Generator
) -> LinearClassifier:
    """The linear classifier that minimises the regularised, reweighted logistic loss.

    The loss is sum W log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2/2 over w and b, with the weight W
    = P(s) P(y)/P(s, y) of a record with group s and label y.

    Args:
        l2: The strength of the L2 penalty of the logistic regression.

    Raises:
        ValueError: all records have one label, or a group has no record with one of the labels.
    """
    if records.y.min() == records.y.max():
        raise ValueError(
            f"the records must have both labels, 0 and 1, got label {records.y[0]} in all records"
        )
    return weighted_logistic(records, independence_weights(records), l2=l2)


ALGORITHM = Algorithm(
    fit,
    version=2,
    source="Kamiran and Calders (2012), Reweighing",
    uses_groups=True,
)
