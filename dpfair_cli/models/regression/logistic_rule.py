"""Logistic regression with intercept: the linear classifier with the least logistic loss."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier


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
    from sklearn.linear_model import LogisticRegression  # slow to import, and only fits need it

    model = LogisticRegression(C=1 / l2, max_iter=1000)
    model.fit(records.X, records.y, sample_weight=weights)
    return LinearClassifier(model.coef_[0], float(model.intercept_[0]))
