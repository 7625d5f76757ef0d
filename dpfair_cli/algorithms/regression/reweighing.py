"""Reweighing: logistic regression on records with weights that make label and group independent.

Source: Kamiran and Calders (2012), Reweighing.
Differs: The paper leaves the classifier open. Here the classifier is that of the method
    logistic_regression, with the same penalty. The weights add up to the number of records. There
    may be more than two groups.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_rule import weighted_logistic


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


def independence_weights(records: Records) -> Floats:
    """The weight P(s) P(y) / P(s, y) of each record with group s and label y, (n,).

    The sum of the weights is n.

    Raises:
        ValueError: a group has no record with one of the labels.
    """
    counts = np.zeros((len(records.domain.groups), 2))  # (groups, labels)
    np.add.at(counts, (records.protected, records.y), 1)
    wanted = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(records)
    for group, label in np.argwhere((counts == 0) & (wanted > 0)):
        raise ValueError(
            "every group must have records of both labels, but group "
            f"{records.domain.groups[group]!r} has none with label {label}"
        )
    return np.asarray(wanted[records.protected, records.y] / counts[records.protected, records.y])


ALGORITHM = Algorithm(
    fit,
    version=2,
    source="Kamiran and Calders (2012), Reweighing",
    uses_groups=True,
)
