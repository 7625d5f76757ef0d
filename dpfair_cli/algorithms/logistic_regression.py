"""Logistic regression: the baseline that is neither private nor fair.

Source: xu2021, Equation 3.9 (LR in Table 8.1); ding2020 (LR).
Privacy: none.
Neighbours: none.
Status: as-published
Differs: the papers name no solver, penalty or intercept; here scikit-learn's defaults (lbfgs, L2 penalty with C = 1 /
    l2 = 1, an intercept), run until it converges.
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpfair_cli.contracts import Records
from dpfair_cli.models.linear import LinearClassifier

VERSION = 1


def fit(records: Records, *, l2: float = 1.0, rng: np.random.Generator) -> LinearClassifier:
    """Minimise sum log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2 / 2 over w and b.

    Raises:
        ValueError: the records hold one class only, or l2 is not positive.
    """
    if not l2 > 0:
        raise ValueError(f"l2 must be positive, got {l2}")
    model = LogisticRegression(C=1 / l2, max_iter=1000).fit(records.X, records.y)
    return LinearClassifier(model.coef_[0], float(model.intercept_[0]))
