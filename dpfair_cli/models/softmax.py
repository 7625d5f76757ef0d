"""L2-penalised softmax regression without intercept: mangold2023's model of several labels.

h(x, y) = z'W_y with W (d, labels), decision argmax_y h(x, y), and f(W) = mean cross-entropy + ridge |W|^2 / 2, which is
ridge-strongly convex; the loss of a record is sqrt(2) |z|-Lipschitz, as the gradient (p - e_y) z' is at most that long.

The margin h(x, y) - max_{y' != y} h(x, y') is positive where the decision is y. It is the least of the z'(W_y - W_y'),
each of them sqrt(2) |z|-Lipschitz in W, hence so is the margin. With two labels only w = W_1 - W_0 counts, and the
model with penalty `ridge` is models/logistic.py's with ridge / 2: the nearest to 0 of all W with that difference is
(-w, w) / 2.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from dpfair_cli.contracts import Floats, Ints

# largest entry of the gradient that still counts as 0
PRECISION = 1e-9


def minimise_softmax(Z: Floats, y: Ints, *, labels: int, ridge: float) -> Floats:
    """The minimiser of f, (d, labels).

    Raises:
        ValueError: ridge is not positive, or the method does not converge.
    """
    if not ridge > 0:
        raise ValueError(f"ridge must be positive, got {ridge}")
    truth = np.eye(labels)[y]  # (n, labels)

    def objective(flat: Floats) -> tuple[float, Floats]:
        W = flat.reshape(Z.shape[1], labels)
        scores = Z @ W
        gradient = Z.T @ (softmax(scores, axis=1) - truth) / len(Z) + ridge * W
        return float(-(truth * log_softmax(scores, axis=1)).sum() / len(Z) + ridge * (W**2).sum() / 2), gradient.ravel()

    start = np.zeros(Z.shape[1] * labels)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"gtol": PRECISION, "ftol": 0.0})
    if np.abs(objective(found.x)[1]).max() > 100 * PRECISION:
        raise ValueError(f"softmax regression did not converge: {found.message}")
    return np.asarray(found.x.reshape(Z.shape[1], labels))


def margins(W: Floats, Z: Floats, y: Ints) -> Floats:
    """h(x, y) - max_{y' != y} h(x, y'), (n,): positive where the decision is y."""
    scores = Z @ W  # (n, labels)
    own = np.take_along_axis(scores, y[:, None], axis=1)[:, 0]
    np.put_along_axis(scores, y[:, None], -np.inf, axis=1)
    return np.asarray(own - scores.max(axis=1))


def lipschitz(Z: Floats) -> Floats:
    """How fast the margin of each record moves with W at most, (n,)."""
    return np.asarray(np.sqrt(2) * np.linalg.norm(Z, axis=1))
