"""The regularised logistic loss of a linear model, and its minimum by Newton's method.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w.

The records come in blocks, one after the other. The blocks of a small table are one block.
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

    signed: Floats
    """The features of each record times the sign of its label, (n, d)."""
    weights: Floats
    """The weight of each record, (n,)."""


class NewtonStep(NamedTuple):
    """The step of Newton's method at a point."""

    start: Floats
    """The coordinates of the point, (d,)."""
    loss: float
    """The loss at the point."""
    step: Floats
    """The step, (d,)."""
    decrement: float
    """The squared Newton decrement."""


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """A regularised and weighted mean logistic loss."""

    blocks: Iterable[SignedRecords]
    """The records in blocks, which are read again for every step."""
    records: int
    """The number n of all records."""
    penalties: Floats
    """The factor of the penalty of each coordinate, (d,)."""

    def newton(self, w: Floats) -> NewtonStep:
        """The step of Newton's method at the coordinates w."""
        sums = zip(*(_sums(block, w) for block in self.blocks), strict=True)
        loss, pull, curvature = (reduce(np.add, parts) / self.records for parts in sums)
        gradient = self.penalties * w - pull
        step = -np.linalg.solve(curvature + np.diag(self.penalties), gradient)
        penalised = float(loss + (self.penalties * w) @ w / 2)
        return NewtonStep(w, penalised, step, float(-gradient @ step))

    def after(self, last: NewtonStep) -> NewtonStep:
        """The Newton step at the point that the step `last`, or a part of it, leads to.

        The part is the largest of 1, 1/2, 1/4 ... that decreases the loss enough, by Armijo's rule.
        """
        size = 1.0
        while True:
            found = self.newton(last.start + size * last.step)
            too_high = found.loss > last.loss - 0.1 * size * last.decrement
            if not (too_high and size > 1e-9):
                return found
            size /= 2


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
    return minimum_from(np.zeros(len(loss.penalties)), loss)


def minimum_from(start: Floats, loss: LogisticLoss) -> Floats:
    """The coordinates (d,) at which the loss is least, as `minimum`, from the coordinates `start`.

    Raises:
        ValueError: Newton's method does not converge.
    """
    newton = loss.newton(start)
    for _ in range(MAX_STEPS):
        if newton.decrement <= CLOSE:
            return newton.start + newton.step
        newton = loss.after(newton)
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty"
    )
