"""Regularised logistic regression by Newton's method, with an intercept or for bounded records.

The loss is f(w) = mean u_i log(1 + exp(-s_i'w)) + w'Rw / 2. The row s_i is the features of record i
times the sign 2y - 1 of its label, u_i is the weight of the record, and the diagonal matrix R has
the penalty of each coordinate of w. The records come in blocks, one after the other.

`optimum` has no intercept. Its features are z = (x - centre) / spread, clipped to norm `clip_norm`,
and R is ridge times the identity: f is ridge-strongly convex, and the loss of one record is
clip_norm-Lipschitz.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import scipy  # which imports `scipy.special` when it is used

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import PositiveFinite, check_fields
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.mechanisms.gaussian import SigmaCalibration
from dpfair_cli.models.regression.linear import LinearClassifier

NO_NORM = 2.0**-500  # a smaller norm counts as this one, so that no clipping factor overflows
MAX_STEPS = 200  # largest number of Newton steps; our choice
CLOSE = 1e-13  # squared Newton decrement below which one more step reaches rounding errors
MOST_KEPT = 300_000  # records; the blocks of a larger table are made again for each step
STEEPEST = 3e4  # largest clip_norm / sqrt(mu): its square times the rounding error is below 1e-6
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


@dataclass(frozen=True)
class OutputNoise:
    """The settings of output perturbation.

    Raises:
        ValueError: a value is outside its range, or `mu` is so small that rounding errors could
            make the Hessian of some records singular.
    """

    mu: PositiveFinite = 1.0
    """The strength of the penalty mu |w|^2 / 2; the sensitivity is proportional to 1 / mu."""
    clip_norm: PositiveFinite = 3.0
    """The norm to which standardised records are clipped."""
    calibration: SigmaCalibration = "analytic"
    """The formula that gives the standard deviation of the Gaussian noise."""

    def __post_init__(self) -> None:
        check_fields(self)
        # the eigenvalues of the Hessian are mu to mu + clip_norm^2 / 4, for any records
        most = STEEPEST * math.sqrt(self.mu)
        if self.clip_norm > most:
            raise ValueError(
                f"clip_norm must be at most {most:g} for this mu, got {self.clip_norm:g}"
            )


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
