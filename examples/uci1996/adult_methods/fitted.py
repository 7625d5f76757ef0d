"""A fitted scikit-learn classifier as a result of dpfair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dpfair_cli.plugin as dp


@dataclass(frozen=True, eq=False)
class Fitted(dp.NotSaved):
    """A classifier that has been fitted to the features of people, with their group as one more."""

    classifier: Any
    reads_group: bool = True

    def predict(self, records: dp.Records) -> dp.Floats:
        """The predicted label, (n,)."""
        found: dp.Floats = self.classifier.predict(features(records)).astype(float)
        return found


def features(records: dp.Records) -> dp.Floats:
    """The features of people and their group, (n, d + 1): adult.names keeps no column apart."""
    import numpy as np

    return np.column_stack([records.X, records.protected])
