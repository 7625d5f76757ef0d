"""The rule that predicts the label of a record, learned from synthetic records.

The rule is the logistic regression of scikit-learn with its default stopping rule, as a user of
synthetic records would fit it.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier


@once_per_records
def label_rule(records: Records) -> LinearClassifier:
    """The logistic regression (L2 penalty with C = 1, with intercept) fitted to the records.

    If all records have the same label, the rule always predicts this label.
    """
    from sklearn.linear_model import LogisticRegression  # slow to import, and only fits need it

    if records.y.min() == records.y.max():
        return LinearClassifier(np.zeros(records.X.shape[1]), 2.0 * records.y[0] - 1)
    model = LogisticRegression(max_iter=1000).fit(records.X, records.y)
    return LinearClassifier(model.coef_[0], float(model.intercept_[0]))
