"""Logistic regression: the baseline that is neither private nor fair.

Source: xu2021, Equation 3.9 (LR in Table 8.1); ding2020 (LR).
Differs: The papers do not name solver, penalty or intercept. Here penalty and intercept are the
    defaults of scikit-learn (L2 penalty with C = 1 / l2 = 1, with intercept), and the loss is
    minimised up to rounding errors by Newton's method.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import logistic


@checked
def fit(
    records: Records, *, l2: PositiveFinite = 1.0, rng: np.random.Generator
) -> LinearClassifier:
    """The linear classifier that minimises the regularised logistic loss over w and b.

    The loss is sum log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2/2.

    Args:
        l2: The strength of the L2 penalty.

    Raises:
        ValueError: all records have the same label.
    """
    if records.y.min() == records.y.max():
        raise ValueError(
            f"the records must have both labels, 0 and 1, got label {records.y[0]} in all records"
        )
    return logistic(records, l2=l2)


ALGORITHM = Algorithm(
    fit,
    version=2,
    source="xu2021, Equation 3.9 (LR in Table 8.1); ding2020 (LR)",
)
