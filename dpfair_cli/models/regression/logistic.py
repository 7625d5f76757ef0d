"""L2-penalised logistic regression without intercept, on standardised records of bounded norm.

The objective is f(w) = mean log(1 + exp(-(2y - 1) w'z)) + ridge |w|^2 / 2, where z is the
standardised record (x - centre) / spread, clipped to norm `clip_norm`. f is ridge-strongly convex,
and the loss of one record is clip_norm-Lipschitz.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.regression.linear import LinearClassifier

MAX_STEPS = 200  # largest number of Newton steps; our choice
NO_NORM = 2.0**-500  # a smaller norm counts as this one, so that no clipping factor overflows
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors


def constants(domain: Domain) -> tuple[Floats, Floats]:
    """The public centre and the public spread of each feature, (d,) and (d,)."""
    table = np.array(domain.standard or [(0.0, 1.0)] * len(domain.columns)).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def standardised(X: Floats, domain: Domain, *, clip_norm: float) -> Floats:
    """The standardised features (x - centre) / spread, clipped to norm `clip_norm`, (n, d).

    The features x are clipped to [0, 1] first.
    """
    centre, spread = constants(domain)
    Z = (np.clip(X, 0.0, 1.0) - centre) / spread  # (n, d)
    norms = np.linalg.norm(Z, axis=1, keepdims=True)
    return np.asarray(Z * np.minimum(1.0, clip_norm / np.maximum(norms, NO_NORM)))


def minimise(Z: Floats, y: Ints, *, ridge: float) -> Floats:
    """The weights (d,) that minimise the regularised mean logistic loss.

    The minimum is found by Newton's method with step halving.

    Args:
        Z: standardised records, (n, d).
        y: labels 0 and 1, (n,).
        ridge: the factor of the penalty.

    Raises:
        ValueError: `ridge` is not positive, or Newton's method does not converge.
    """
    if not ridge > 0:
        raise ValueError(f"ridge must be positive, got {ridge}")
    signed = (2.0 * y - 1)[:, None] * Z  # (n, d): margins are signed @ w
    w = np.zeros(Z.shape[1])
    for _ in range(MAX_STEPS):
        step, decrement = newton(signed, w, ridge)
        if decrement <= CLOSE:
            return w + step
        w = w + halved(signed, w, step, decrement, ridge) * step
    raise ValueError(
        f"logistic regression did not converge in {MAX_STEPS} steps: rescale the features or "
        "use a larger penalty `mu`"
    )


def newton(signed: Floats, w: Floats, ridge: float) -> tuple[Floats, float]:
    """The Newton step (d,) at the weights w and the squared Newton decrement.

    The function is the regularised mean logistic loss. `signed` (n, d) are the standardised records
    times the signs of their labels.
    """
    wrong = expit(-(signed @ w))  # (n,)
    gradient = ridge * w - signed.T @ wrong / len(signed)
    curvature = (wrong * (1 - wrong))[:, None]  # (n, 1)
    hessian = (signed * curvature).T @ signed / len(signed) + ridge * np.eye(len(w))
    step = -np.linalg.solve(hessian, gradient)
    return step, float(-gradient @ step)


def halved(signed: Floats, w: Floats, step: Floats, decrement: float, ridge: float) -> float:
    """The largest step size among 1, 1/2, 1/4 ... that decreases the loss enough (Armijo's rule).

    The loss is the regularised mean logistic loss, and the step starts at the weights w. `signed`
    (n, d) are the standardised records times the signs of their labels.
    """
    start, size = objective(signed, w, ridge), 1.0
    while objective(signed, w + size * step, ridge) > start - 0.1 * size * decrement:
        if not size > 1e-9:
            break
        size /= 2
    return size


def objective(signed: Floats, w: Floats, ridge: float) -> float:
    """The value of the regularised mean logistic loss at the weights w.

    `signed` (n, d) are the standardised and clipped records times the signs of their labels.
    """
    return float(np.logaddexp(0.0, -(signed @ w)).mean() + ridge * (w @ w) / 2)


@once_per_records
def optimum(records: Records, *, clip_norm: float, ridge: float, train_size: int) -> Floats:
    """The weights that minimise the regularised logistic loss of the records, (d,).

    Only the first `train_size` records are used, or all if there are fewer.
    """
    Z = standardised(records.X[:train_size], records.domain, clip_norm=clip_norm)
    weights = minimise(Z, records.y[:train_size], ridge=ridge)
    weights.flags.writeable = False
    return weights


def classifier(weights: Floats, domain: Domain) -> LinearClassifier:
    """The linear classifier on features X that decides as the rule w'z > 0 with w = `weights`.

    z are the standardised and clipped features. The clipping does not change the sign of w'z.
    """
    centre, spread = constants(domain)
    return LinearClassifier(weights / spread, -float(weights @ (centre / spread)))


def standard_weights(model: LinearClassifier, domain: Domain) -> Floats:
    """The weights (d,) of a linear classifier, for standardised instead of original features.

    `model` is a result of the function `classifier`, which is the inverse of this function.
    `domain` has the public centre and spread that standardise each feature.
    """
    return np.asarray(model.weights * constants(domain)[1])
