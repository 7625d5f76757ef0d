"""Logistic regression by Newton's method, and the linear classifier with the least logistic loss.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w. The records come in blocks, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier

MAX_STEPS = 200  # largest number of Newton steps; our choice
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors
MOST_KEPT = 300_000  # records; the blocks of a larger table are made again for each step
BLOCK = 8_192  # records of a block, which fits into a processor's cache


@dataclass(frozen=True, eq=False)
class SignedRecords:
    """Records of a logistic loss."""

    signed: Floats  # the features of each record times the sign of its label, (n, d)
    weights: Floats  # the weight of each record, not negative, (n,)


class Point(NamedTuple):
    """Coordinates of a linear model, with the loss there and its derivatives."""

    w: Floats  # the coordinates, (d,)
    loss: float  # the mean loss of the records plus the penalty
    gradient: Floats  # the gradient of the loss, (d,)
    hessian: Floats  # the Hessian of the loss, (d, d)


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """A regularised and weighted mean logistic loss."""

    blocks: Iterable[SignedRecords]  # the records in blocks, which are read again for every point
    records: int  # the number n of all records
    penalties: Floats  # the factor of the penalty of each coordinate, (d,)

    def at(self, w: Floats) -> Point:
        """The point with the coordinates w."""
        sums = zip(*(_sums(block, w) for block in self.blocks), strict=True)
        loss, pull, curvature = (reduce(np.add, parts) / self.records for parts in sums)
        penalised = float(loss + (self.penalties * w) @ w / 2)
        return Point(w, penalised, self.penalties * w - pull, curvature + np.diag(self.penalties))

    def after(self, point: Point, step: Floats, decrement: float) -> Point:
        """The point after the largest of 1, 1/2, 1/4 ... steps that decreases the loss enough."""
        size, found = 1.0, self.at(point.w + step)
        while found.loss > point.loss - 0.1 * size * decrement and size > 1e-9:
            size /= 2
            found = self.at(point.w + size * step)
        return found


def _sums(block: SignedRecords, w: Floats) -> tuple[float, Floats, Floats]:
    """The sums of losses (), negative gradients (d,) and Hessians (d, d) of records at w."""
    signed, weights = block.signed, block.weights
    margins = signed @ w  # (n,)
    loss = float((weights * np.logaddexp(0.0, -margins)).sum())
    wrong = scipy.special.expit(-margins)  # (n,)
    curvature = (weights * wrong * (1 - wrong))[:, None]  # (n, 1)
    return loss, signed.T @ (weights * wrong), (signed * curvature).T @ signed


def minimum(loss: LogisticLoss) -> Floats:
    """The coordinates (d,) at which the loss is least, by Newton's method with step halving.

    Raises:
        ValueError: Newton's method does not converge.
    """
    point = loss.at(np.zeros(len(loss.penalties)))
    for _ in range(MAX_STEPS):
        step: Floats = -np.asarray(np.linalg.solve(point.hessian, point.gradient), dtype=float)
        decrement = float(-point.gradient @ step)
        if decrement <= CLOSE:
            return point.w + step
        point = loss.after(point, step, decrement)
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty"
    )


@once_per_records
def logistic(records: Records, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least sum log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2/2.

    If all records have the same label, the classifier always predicts this label.
    """
    # without a penalty on the intercept the loss has no minimum for one label
    if records.y.min() == records.y.max():
        return LinearClassifier(np.zeros(records.X.shape[1]), 2.0 * records.y[0] - 1)
    return weighted_logistic(records, np.ones(len(records)), l2=l2)


def weighted_logistic(records: Records, weights: Floats, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least weighted and regularised logistic loss.

    The loss of record i is multiplied by weights[i]; `weights` has the shape (n,). The records must
    have both labels.
    """
    n, d = records.X.shape
    # divided by n, because the loss is a mean here and a sum in the papers
    penalties = np.append(np.full(d, l2 / n), 0.0)  # the intercept is not penalised
    table = _WeightedRecords(records.X, records.y, weights)
    blocks = table if n > MOST_KEPT else list(table)
    loss = LogisticLoss(blocks, n, penalties)
    *rule, intercept = minimum(loss)
    return LinearClassifier(np.array(rule), float(intercept))


@dataclass(frozen=True, eq=False)
class _WeightedRecords:
    """Records with weights, whose blocks are made when they are read."""

    X: Floats  # the features, (n, d)
    y: Ints  # the labels, (n,)
    weights: Floats  # the weight of each record in the mean loss, (n,)

    def __iter__(self) -> Iterator[SignedRecords]:
        for first in range(0, len(self.X), BLOCK):
            rows = slice(first, first + BLOCK)
            X = self.X[rows]
            signed = np.column_stack([X, np.ones(len(X))])  # with a feature 1 for the intercept
            signed *= (2.0 * self.y[rows] - 1)[:, None]  # in place: no second copy
            yield SignedRecords(signed, self.weights[rows])


def independence_weights(records: Records) -> Floats:
    """The weight P(s) P(y) / P(s, y) of each record with group s and label y, (n,).

    The sum of the weights is n.

    Raises:
        ValueError: a group has no record with one of the labels.
    """
    counts = np.zeros((len(records.domain.groups), 2))  # (groups, labels)
    np.add.at(counts, (records.protected, records.y), 1)
    wanted = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(records)
    for group, label in np.argwhere((counts == 0) & (wanted > 0)):
        raise ValueError(
            "every group must have records of both labels, but group "
            f"{records.domain.groups[group]!r} has none with label {label}"
        )
    return np.asarray(wanted[records.protected, records.y] / counts[records.protected, records.y])
