"""A fitted scikit-learn classifier as a result of dpfair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class Fitted(NotSaved):
    """A classifier that has been fitted to the features of people, with their group as one more."""

    classifier: Any
    reads_group: bool = True

    def predict(self, records: Records) -> Floats:
        """The predicted label, (n,)."""
        found: Floats = self.classifier.predict(features(records)).astype(float)
        return found


def features(records: Records) -> Floats:
    """The features of people and their group, (n, d + 1): adult.names keeps no column apart."""
    import numpy as np

    return np.column_stack([records.X, records.protected])
