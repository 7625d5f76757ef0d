"""Logistic regression for gradient descent, with per-record gradients that are never formed.

The loss of a record is log(1 + exp(-(2y - 1) x'w)), its gradient (sigmoid(x'w) - y) x, and the
gradient's norm |sigmoid(x'w) - y| |x|. With an intercept x ends with a 1. The start is w = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import expit

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier

Intercept = Literal["with", "without"]


@dataclass(frozen=True, eq=False)
class LinearGradients:
    """The gradients residual_i x_i of b records."""

    x: Floats
    """The records, (b, p)."""
    y: Floats
    """The labels, (b,)."""
    lengths: Floats
    """|x_i|, (b,)."""
    scores: Floats
    """x_i'w, (b,)."""

    @cached_property
    def residuals(self) -> Floats:
        """sigmoid(x'w) - y, (b,)."""
        return np.asarray(expit(self.scores) - self.y)

    @property
    def losses(self) -> Floats:
        """log(1 + exp(-(2y - 1) x'w)), (b,)."""
        return np.logaddexp(0.0, (1 - 2 * self.y) * self.scores)

    @property
    def norms(self) -> Floats:
        """|residual_i| |x_i|, (b,)."""
        return np.abs(self.residuals) * self.lengths

    def total(self, weights: Floats) -> Floats:
        """The sum of weights_i residual_i x_i, (p,)."""
        return (weights * self.residuals) @ self.x


class LogisticDescent:
    """Logistic regression with the records that it is trained on."""

    def __init__(self, records: Records, *, intercept: Intercept) -> None:
        ones = np.ones((len(records), int(intercept == "with")))
        self.x = np.hstack([records.X, ones])  # (n, p)
        self.y = records.y.astype(float)
        self.lengths = np.linalg.norm(self.x, axis=1)  # (n,)
        self.groups, self.group_count = records.protected, len(records.domain.groups)
        self.features = records.X.shape[1]

    def start(self, rng: np.random.Generator) -> Floats:
        """Zeros, (p,)."""
        return np.zeros(self.x.shape[1])

    def gradients(self, parameters: Floats, rows: Ints) -> LinearGradients:
        """The gradients of the records `rows`."""
        x = self.x[rows]
        return LinearGradients(x, self.y[rows], self.lengths[rows], x @ parameters)

    def classifier(self, parameters: Floats) -> LinearClassifier:
        """The linear classifier with these parameters."""
        intercept = float(parameters[self.features :].sum())
        return LinearClassifier(parameters[: self.features], intercept)
