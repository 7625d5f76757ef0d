"""The regularised logistic loss of a linear model, and its minimum by Newton's method.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w.

The records come in blocks, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats

MAX_STEPS = 200  # largest number of Newton steps; our choice
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors


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
        """The point after the largest of 1, 1/2, 1/4 ... steps that decreases the loss enough.

        The rule is that of Armijo.
        """
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
    return minimum_from(loss.at(np.zeros(len(loss.penalties))), loss)


def minimum_from(point: Point, loss: LogisticLoss) -> Floats:
    """The coordinates (d,) at which the loss is least, as `minimum`, starting at a point.

    Raises:
        ValueError: Newton's method does not converge.
    """
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
