"""Fair thresholds of error-parity on known scores, to be run in the environment of that library."""

from __future__ import annotations

import numpy as np
from error_parity import RelaxedThresholdOptimizer

RECORDS = {}  # scores, labels and groups (n,), once they are read


def read(file: str) -> None:
    """Reads the records, and fits once."""
    with np.load(file) as data:
        RECORDS.update({name: data[name] for name in ("scores", "y", "protected")})
    fit()


def fit() -> None:
    """Finds the random thresholds with equal rates and the least error."""
    rule = RelaxedThresholdOptimizer(
        predictor=lambda scores: scores[:, 0],
        constraint="equalized_odds",
        tolerance=0.0,
        false_pos_cost=1,
        false_neg_cost=1,
    )
    rule.fit(X=RECORDS["scores"][:, None], y=RECORDS["y"], group=RECORDS["protected"])
