"""A linear rule: decide 1 where the score is positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts import Floats, Records


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """Decide 1 where X @ weights + intercept > 0; a score of exactly 0 decides 0."""

    weights: Floats
    intercept: float = 0.0

    def predict(self, records: Records) -> Floats:
        """The decision as a probability, 0.0 or 1.0, (n,)."""
        return np.asarray(records.X @ self.weights + self.intercept > 0, dtype=float)
