"""Logistic regression for gradient descent, without computing the gradient of each record.

The loss of a record is log(1 + exp(-(2y - 1) x'w)). The gradient of the loss is (sigmoid(x'w) - y)
x, with the norm |sigmoid(x'w) - y| |x|. With an intercept, x has a last entry 1. The initial
weights w are 0.
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
    """The gradients residual_i x_i of b records, where residual_i is sigmoid(x_i'w) - y_i."""

    x: Floats  # the records, (b, p)
    y: Floats  # the labels, (b,)
    lengths: Floats  # the norms |x_i|, (b,)
    scores: Floats  # the scores x_i'w, (b,)

    @cached_property
    def residuals(self) -> Floats:
        """The residuals sigmoid(x_i'w) - y_i, (b,)."""
        return np.asarray(expit(self.scores) - self.y)

    @property
    def losses(self) -> Floats:
        """The logistic losses log(1 + exp(-(2y_i - 1) x_i'w)), (b,)."""
        return np.logaddexp(0.0, (1 - 2 * self.y) * self.scores)

    @property
    def norms(self) -> Floats:
        """The norms |residual_i| |x_i| of the gradients, (b,)."""
        return np.abs(self.residuals) * self.lengths

    def total(self, weights: Floats) -> Floats:
        """The sum of the gradients residual_i x_i, multiplied by `weights` (b,), (p,)."""
        return (weights * self.residuals) @ self.x


class LogisticDescent:
    """Logistic regression with the training records."""

    def __init__(self, records: Records, *, intercept: Intercept) -> None:
        ones = np.ones((len(records), int(intercept == "with")))
        self.x = np.hstack([records.X, ones])  # (n, p)
        self.y = records.y.astype(float)
        # once: the norm of a gradient is |residual| |x|
        self.lengths = np.linalg.norm(self.x, axis=1)  # (n,)
        self.groups, self.group_count = records.protected, len(records.domain.groups)
        self.features = records.X.shape[1]

    def start(self, rng: np.random.Generator) -> Floats:
        """The initial weights of the logistic regression, which are zeros, (p,)."""
        return np.zeros(self.x.shape[1])

    def placed(self, vector: Floats) -> Floats:
        """The vector itself: logistic regression is computed by the processor."""
        return vector

    def gradients(self, parameters: Floats, rows: Ints) -> LinearGradients:
        """The gradients of the losses of the records whose indices are `rows`."""
        x = self.x.take(rows, axis=0)  # faster than indexing
        return LinearGradients(x, self.y[rows], self.lengths[rows], x @ parameters)

    def classifier(self, parameters: Floats) -> LinearClassifier:
        """The linear classifier with the weights (and the intercept) `parameters`."""
        intercept = float(parameters[self.features :].sum())
        return LinearClassifier(parameters[: self.features], intercept)
