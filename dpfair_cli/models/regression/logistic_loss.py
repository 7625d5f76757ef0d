"""The regularised logistic loss of a linear model, and its minimum by Newton's method.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats

MAX_STEPS = 200  # largest number of Newton steps; our choice
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors


@dataclass(frozen=True, eq=False)
class Point:
    """Coordinates of a linear model, with what its loss and its Newton step have in common."""

    w: Floats
    """The coordinates, (d,)."""
    margins: Floats
    """The sign of each label times the linear score of its record, (n,)."""
    loss: float
    """The value of the loss."""


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """A regularised and weighted mean logistic loss."""

    signed: Floats
    """The features of each record times the sign of its label, (n, d)."""
    weights: Floats
    """The weight of each record, (n,)."""
    penalties: Floats
    """The factor of the penalty of each coordinate, (d,)."""

    def at(self, w: Floats) -> Point:
        """The point with the coordinates w."""
        margins = self.signed @ w  # (n,)
        losses = self.weights * np.logaddexp(0.0, -margins)  # (n,)
        return Point(w, margins, float(losses.mean() + (self.penalties * w) @ w / 2))

    def newton(self, point: Point) -> tuple[Floats, float]:
        """The Newton step (d,) at a point, and the squared Newton decrement."""
        signed, n = self.signed, len(self.signed)
        wrong = scipy.special.expit(-point.margins)  # (n,)
        pull = self.weights * wrong  # (n,)
        gradient = self.penalties * point.w - signed.T @ pull / n
        curvature = (pull * (1 - wrong))[:, None]  # (n, 1)
        hessian = (signed * curvature).T @ signed / n + np.diag(self.penalties)
        step = -np.linalg.solve(hessian, gradient)
        return step, float(-gradient @ step)

    def after(self, point: Point, step: Floats, decrement: float) -> Point:
        """The point after the largest of 1, 1/2, 1/4 ... steps that decreases the loss enough.

        The rule is that of Armijo.
        """
        size, found = 1.0, self.at(point.w + step)
        while found.loss > point.loss - 0.1 * size * decrement and size > 1e-9:
            size /= 2
            found = self.at(point.w + size * step)
        return found


def minimum(loss: LogisticLoss) -> Floats:
    """The coordinates (d,) at which the loss is least, by Newton's method with step halving.

    Raises:
        ValueError: Newton's method does not converge.
    """
    point = loss.at(np.zeros(len(loss.penalties)))
    for _ in range(MAX_STEPS):
        step, decrement = loss.newton(point)
        if decrement <= CLOSE:
            return point.w + step
        point = loss.after(point, step, decrement)
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty"
    )
