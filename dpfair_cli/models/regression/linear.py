"""A linear classifier: decision 1 where the score is positive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import FittedFields
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class LinearClassifier(FittedFields):
    """The classifier with decision 1 if X @ weights + intercept > 0, and decision 0 otherwise."""

    weights: Floats  # the weight of each feature, (d,)
    intercept: float = 0.0  # the score of a record whose features are all 0
    reads_group: ClassVar[bool] = False  # whether `predict` uses the protected group

    def predict(self, records: Records) -> Floats:
        """The decision on each record as a probability, 0.0 or 1.0, (n,)."""
        return np.asarray(records.X @ self.weights + self.intercept > 0, dtype=float)

    def saved(self) -> dict[str, Any]:
        """The weights and the intercept of the classifier as JSON, for a model file."""
        return {
            "form": "linear",
            "weights": [float(weight) for weight in self.weights],
            "intercept": self.intercept,
        }


def restore(saved: Mapping[str, Any]) -> LinearClassifier:
    """The linear classifier that a model file holds."""
    weights, intercept = np.array(saved["weights"], dtype=float), float(saved["intercept"])
    if weights.ndim != 1 or not np.isfinite([*weights, intercept]).all():
        raise ValueError(
            "the weights in the model file must be a list of finite numbers, and the intercept a "
            "finite number"
        )
    return LinearClassifier(weights, intercept)
