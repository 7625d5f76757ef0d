"""L2-penalised logistic regression without intercept, on standardised records of bounded norm.

The objective is f(w) = mean log(1 + exp(-(2y - 1) w'z)) + ridge |w|^2 / 2, where z is the
standardised record (x - centre) / spread, clipped to norm `clip_norm`. f is ridge-strongly convex,
and the loss of one record is clip_norm-Lipschitz.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import PositiveFinite, check_fields
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.gaussian import SigmaCalibration
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_rule import LogisticLoss, SignedRecords, minimum

NO_NORM = 2.0**-500  # a smaller norm counts as this one, so that no clipping factor overflows


@dataclass(frozen=True)
class OutputNoise:
    """The settings of output perturbation."""

    mu: PositiveFinite = 1.0
    """The strength of the penalty mu |w|^2 / 2; the sensitivity is proportional to 1 / mu."""

    clip_norm: PositiveFinite = 3.0
    """The norm to which standardised records are clipped."""

    calibration: SigmaCalibration = "analytic"
    """The formula that gives the standard deviation of the Gaussian noise."""

    def __post_init__(self) -> None:
        check_fields(self)


DEFAULT_OUTPUT_NOISE = OutputNoise()


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
    records = SignedRecords(signed, np.ones(len(Z)))
    return minimum(LogisticLoss((records,), len(Z), np.full(Z.shape[1], ridge)))


@once_per_records
def optimum(records: Records, *, clip_norm: float, ridge: float, train_size: int) -> Floats:
    """The weights that minimise the regularised logistic loss of the records, (d,)."""
    Z = standardised(records.X[:train_size], records.domain, clip_norm=clip_norm)
    weights = minimise(Z, records.y[:train_size], ridge=ridge)
    # cached: a caller that changed them would change every later fit
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
