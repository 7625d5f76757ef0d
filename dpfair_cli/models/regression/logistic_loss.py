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
        wrong = scipy.special.expit(-(signed @ w))  # (n,)
        gradient = self.penalties * w - signed.T @ (self.weights * wrong) / n
        curvature = (self.weights * wrong * (1 - wrong))[:, None]  # (n, 1)
        hessian = (signed * curvature).T @ signed / n + np.diag(self.penalties)
        step = -np.linalg.solve(hessian, gradient)
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
    w = np.zeros(len(loss.penalties))
    for _ in range(MAX_STEPS):
        step, decrement = loss.newton(w)
        if decrement <= CLOSE:
            return w + step
        w = w + loss.step_size(w, step, decrement) * step
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty"
    )
