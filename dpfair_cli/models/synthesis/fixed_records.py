"""A fixed table of synthetic records, with a classifier that is fitted to this table.

The classifier is the logistic regression of scikit-learn with its default stopping rule, as a user
of synthetic records would fit it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.results import NotSaved
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


@dataclass(frozen=True, eq=False)
class FixedRecords(NotSaved):
    """A table of synthetic records, and logistic regression fitted to this table."""

    records: Records  # all synthetic records that `sample` draws from
    classifier: LinearClassifier  # the rule that predicts the label
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """A random sample of n of the synthetic records.

        Each record is drawn once before any record is drawn twice.
        """
        rounds = [rng.permutation(len(self.records)) for _ in range(-(-n // len(self.records)))]
        return self.records.take(np.concatenate([*rounds, np.zeros(0, dtype=np.int64)])[:n])

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)


def fixed_records(records: Records) -> FixedRecords:
    """The `records` as synthetic records, with logistic regression fitted to them."""
    return FixedRecords(records, label_rule(records))
