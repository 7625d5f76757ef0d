"""The inputs of a logistic regression with a feature for every level of an attribute.

Records have no feature for the first level of an attribute (models/tabular/encoding.py). The inputs
z of lowy2023 have a feature for every level, numbers with mean 0 and deviation 1 on the training
records, and a last entry 1. They are z = x A + c for the features x of a record. A score z'w is
therefore the score x'(A w) + c'w of a linear classifier.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier

NumberInputs = Literal["standardised", "in_range"]
"""Numbers with mean 0 and deviation 1 on the training records, or in [0, 1] by public ranges."""


@dataclass(frozen=True, eq=False)
class FullDesign:
    """The map z = x A + c from the features x of a record to its inputs z."""

    matrix: Floats  # A, (d, p)
    shift: Floats  # c, (p,)

    def inputs(self, X: Floats) -> Floats:
        """The inputs of records with the features X (n, d), an array (n, p)."""
        return np.asarray(X @ self.matrix + self.shift)

    def classifier(self, weights: Floats) -> LinearClassifier:
        """The classifier with decision 1 where the weighted sum of the inputs is positive."""
        return LinearClassifier(self.matrix @ weights, float(self.shift @ weights))


def full_design(records: Records, *, numbers: NumberInputs) -> FullDesign:
    """The inputs for training on `records`.

    An attribute with one feature is a number. An attribute with several features has an input for
    each of its levels. If `numbers` are "standardised", A and c depend on the features of the
    records; otherwise they depend on no record.

    >>> from dpfair_cli.kinds.records import Domain
    >>> domain = Domain(("age", "b", "c"), {"age": (0,), "job": (1, 2)}, ("women", "men"))
    >>> X = np.array([[0.0, 1, 0], [1.0, 0, 0]])
    >>> records = Records(X, np.array([0, 1]), np.array([0, 1]), domain)
    >>> full_design(records, numbers="standardised").inputs(X).round(2)
    array([[-0.71,  0.  ,  1.  ,  0.  ,  1.  ],
           [ 0.71,  1.  ,  0.  ,  0.  ,  1.  ]])
    """
    d = records.X.shape[1]
    # beginning with no column, so that records without attributes have a design
    blocks, shifts = [np.zeros((d, 0))], [np.zeros(0)]
    for columns in records.domain.attributes.values():
        if len(columns) == 1:
            values = records.X[:, columns[0]] if numbers == "standardised" else UNIT
            block, shift = _number(d, columns[0], values)
        else:
            block, shift = _levels(d, columns)
        blocks.append(block)
        shifts.append(shift)
    one = np.ones(1)
    return FullDesign(np.hstack([*blocks, np.zeros((d, 1))]), np.concatenate([*shifts, one]))


UNIT = np.array([-1.0, 0.0, 1.0])  # of mean 0 and deviation 1: the number stays as it is


def random_start(inputs: int, rng: np.random.Generator) -> Floats:
    """Random initial weights of the inputs, (inputs,), as in the released code of lowy2023.

    They are uniform between -1 and 1, divided by the root of the number of inputs but the constant.
    """
    bound = 1 / np.sqrt(max(inputs - 1, 1))
    return np.asarray(rng.uniform(-bound, bound, size=inputs))


def _number(d: int, column: int, values: Floats) -> tuple[Floats, Floats]:
    """The columns of A (d, 1) and the entry of c (1,) for a number."""
    mean = values.mean()
    deviation = np.sqrt(((values - mean) ** 2).sum() / max(len(values) - 1, 1)) or 1.0
    return np.eye(d)[:, [column]] / deviation, np.array([-mean / deviation])


def _levels(d: int, columns: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The columns of A (d, levels) and the entries of c (levels,) for an attribute."""
    block = np.eye(d)[:, [columns[0], *columns]]
    block[:, 0] = 0.0
    block[list(columns), 0] = -1.0  # the first level is there if no other level is
    return block, np.eye(1 + len(columns))[0]
