"""A fixed table of synthetic records, with a classifier that is fitted to this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.synthesis.label_rule import label_rule


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
