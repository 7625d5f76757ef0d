"""The inputs of a logistic regression with a feature for every level and standardised numbers.

Records have no feature for the first level of an attribute (models/tabular/encoding.py). The inputs
z of lowy2023 have a feature for every level, numbers with mean 0 and deviation 1 on the training
records, and a last entry 1. They are z = x A + c for the features x of a record. A score z'w is
therefore the score x'(A w) + c'w of a linear classifier. The computation of A and c uses features
of the training records, and neither labels nor groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier


@dataclass(frozen=True, eq=False)
class FullDesign:
    """The map z = x A + c from the features x of a record to its inputs z."""

    matrix: Floats
    """A, (d, p)."""
    shift: Floats
    """c, (p,)."""

    def inputs(self, X: Floats) -> Floats:
        """The inputs of records with the features X (n, d), an array (n, p)."""
        return np.asarray(X @ self.matrix + self.shift)

    def classifier(self, weights: Floats) -> LinearClassifier:
        """The classifier with decision 1 where the weighted sum of the inputs is positive.

        `weights` (p,) are the weights of the inputs.
        """
        return LinearClassifier(self.matrix @ weights, float(self.shift @ weights))


def full_design(records: Records) -> FullDesign:
    """The inputs for training on `records`.

    An attribute with one feature is a number and is standardised. An attribute with several
    features has an input for each of its levels.

    >>> from dpfair_cli.kinds.records import Domain
    >>> domain = Domain(("age", "b", "c"), {"age": (0,), "job": (1, 2)}, ("women", "men"))
    >>> X = np.array([[0.0, 1, 0], [1.0, 0, 0]])
    >>> records = Records(X, np.array([0, 1]), np.array([0, 1]), domain)
    >>> full_design(records).inputs(X).round(2)
    array([[-0.71,  0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.71,  1.  ,  0.  ,  0.  ,  1.  ]])
    """
    d = records.X.shape[1]
    blocks, shifts = [], []
    for columns in records.domain.attributes.values():
        block, shift = _number(records.X, columns[0]) if len(columns) == 1 else _levels(d, columns)
        blocks.append(block)
        shifts.append(shift)
    blocks.append(np.zeros((d, 1)))
    shifts.append(np.ones(1))
    return FullDesign(np.hstack(blocks), np.concatenate(shifts))


def _number(X: Floats, column: int) -> tuple[Floats, Floats]:
    """The columns of A (d, 1) and the entry of c (1,) for a number."""
    values = X[:, column]
    mean = values.mean()
    deviation = np.sqrt(((values - mean) ** 2).sum() / max(len(values) - 1, 1)) or 1.0
    return np.eye(X.shape[1])[:, [column]] / deviation, np.array([-mean / deviation])


def _levels(d: int, columns: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The columns of A (d, levels) and the entries of c (levels,) for an attribute."""
    block = np.eye(d)[:, [columns[0], *columns]]
    block[:, 0] = 0.0
    block[list(columns), 0] = -1.0  # the first level is there if no other level is
    return block, np.eye(1 + len(columns))[0]
