"""The regularised logistic loss of a linear model, and its minimum by Newton's method.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats

MAX_STEPS = 200  # largest number of Newton steps; our choice
MANY_RECORDS = 10_000  # least number for which the start is computed on every PART-th record
PART, PART_STEPS = 8, 5
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors


@dataclass(frozen=True, eq=False)
class LogisticLoss:
    """A regularised and weighted mean logistic loss."""

    signed: Floats
    """The features of each record times the sign of its label, (n, d)."""
    weights: Floats
    """The weight of each record, (n,)."""
    penalties: Floats
    """The factor of the penalty of each coordinate, (d,)."""

    def at(self, w: Floats) -> float:
        """The value of the loss at the coordinates w."""
        losses = self.weights * np.logaddexp(0.0, -(self.signed @ w))  # (n,)
        return float(losses.mean() + (self.penalties * w) @ w / 2)

    def newton(self, w: Floats) -> tuple[Floats, float]:
        """The Newton step (d,) at the coordinates w, and the squared Newton decrement."""
        signed, n = self.signed, len(self.signed)
        with np.errstate(over="ignore"):  # 1 / (1 + infinity) is 0
            wrong = 1 / (1 + np.exp(signed @ w))  # (n,)
        gradient = self.penalties * w - signed.T @ (self.weights * wrong) / n
        curvature = self.weights * wrong * (1 - wrong)  # (n,)
        scaled = signed * np.sqrt(curvature)[:, None]  # (n, d)
        # of the product of a matrix with itself, only one half is computed
        hessian = scaled.T @ scaled / n + np.diag(self.penalties)
        step = -np.asarray(np.linalg.solve(hessian, gradient), dtype=float)
        return step, float(-gradient @ step)

    def step_size(self, w: Floats, step: Floats, decrement: float) -> float:
        """The largest step size among 1, 1/2, 1/4 ... that decreases the loss enough.

        The rule is that of Armijo. The step starts at the coordinates w.
        """
        start, size = self.at(w), 1.0
        while self.at(w + size * step) > start - 0.1 * size * decrement:
            if not size > 1e-9:
                break
            size /= 2
        return size


def minimum(loss: LogisticLoss) -> Floats:
    """The coordinates (d,) at which the loss is least, by Newton's method with step halving.

    Raises:
        ValueError: Newton's method does not converge.
    """
    w = _start(loss)
    for _ in range(MAX_STEPS):
        step, decrement = loss.newton(w)
        if decrement <= CLOSE:
            return w + step
        w = w + loss.step_size(w, step, decrement) * step
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty"
    )


def _start(loss: LogisticLoss) -> Floats:
    """Coordinates (d,) from which Newton's method begins.

    With many records, they are near the minimum: some Newton steps on a part of the records take
    less time than the steps on all records that they replace.
    """
    w = np.zeros(len(loss.penalties))
    if len(loss.signed) < MANY_RECORDS:
        return w
    part = LogisticLoss(loss.signed[::PART], loss.weights[::PART], loss.penalties)
    for _ in range(PART_STEPS):
        step, decrement = part.newton(w)
        w = w + part.step_size(w, step, decrement) * step
    return w
