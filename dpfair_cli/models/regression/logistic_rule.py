"""Logistic regression with intercept: the linear classifier with the least logistic loss."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_loss import LogisticLoss, minimum


@once_per_records
def logistic(records: Records, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least sum log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2/2.

    x are the features and y is the label of a record, w are the weights and b is the intercept. If
    all records have the same label, the classifier always predicts this label.
    """
    if records.y.min() == records.y.max():
        return LinearClassifier(np.zeros(records.X.shape[1]), 2.0 * records.y[0] - 1)
    return weighted_logistic(records, np.ones(len(records)), l2=l2)


def weighted_logistic(records: Records, weights: Floats, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least weighted and regularised logistic loss.

    The loss of record i is multiplied by weights[i]; `weights` has the shape (n,). The records must
    have both labels.
    """
    n, d = records.X.shape
    signed = np.column_stack([records.X, np.ones(n)])  # (n, d + 1)
    signed *= (2.0 * records.y - 1)[:, None]  # in place: of large data, no second copy
    penalties = np.append(np.full(d, l2 / n), 0.0)  # the intercept is not penalised
    *rule, intercept = minimum(LogisticLoss(signed, weights, penalties))
    return LinearClassifier(np.array(rule), float(intercept))
