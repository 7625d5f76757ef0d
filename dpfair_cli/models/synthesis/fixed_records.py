"""A table of records that is made once, samples of it, and a rule that predicts the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_rule import logistic


@dataclass(frozen=True, eq=False)
class FixedRecords(NotSaved):
    """Records to sample from, and logistic regression fitted to them."""

    records: Records
    classifier: LinearClassifier
    reads_group: ClassVar[bool] = False

    def sample(self, n: int, *, rng: np.random.Generator) -> Records:
        """So many of the records (n), everyone once before anybody again."""
        rounds = [rng.permutation(len(self.records)) for _ in range(-(-n // len(self.records)))]
        return self.records.take(np.concatenate([*rounds, np.zeros(0, dtype=np.int64)])[:n])

    def predict(self, records: Records) -> Floats:
        """The decision as a probability, 0.0 or 1.0, (n,)."""
        return self.classifier.predict(records)


def fixed_records(records: Records) -> FixedRecords:
    """These records, with logistic regression."""
    return FixedRecords(records, logistic(records, l2=1.0))
