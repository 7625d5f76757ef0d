"""Epsilon of many releases by contour integration of the privacy loss: the audit's own accountant.

No mechanism calibrates its noise by it, so that a mistake of an accountant is not repeated by the audit. With L the
privacy loss of an outcome drawn from P and M(z) = E exp(z L), for every c > 0

    delta(epsilon) = 1 / (2 pi) * integral of M(c + it) exp(-(c + it) epsilon) / ((c + it) (c + it + 1)) dt,

the inverse Laplace transform of E max(0, 1 - exp(epsilon - L)) (Alghamdi et al. 2023, "The saddle-point method in
differential privacy", Theorem 3.1). c is chosen where the integrand is smallest on the real axis, and M of releases
on batches of their own is the product of theirs. Losses that take two values only (pure mechanisms, at their worst)
are added up exactly, as a discrete distribution, around the integral.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, logsumexp

from dpfair_cli.contracts.arrays import Floats

POINTS, MOST_POINTS = 150, 20_000  # of the integral: twice as many until it stands still
ACCURACY = 1e-9  # of the integral, in parts of its largest value
STRETCH = 6.0  # they lie closer together near the real axis
NODES, SINGLE_NODES = 800, 400_000  # of the expectation over one noisy value
REACH = 12.0  # deviations of the noise that the expectation covers
FALL = 25.0  # powers of e by which the integrand has fallen at its end
CELLS = 4000  # of the axis of losses, where there are too many different ones
Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class Losses:
    """What was released: pure epsilons and how often, the ratio of one Gaussian release, and sampled Gaussian ones.

    A ratio is what a record moves in deviations of the noise; `sampled` holds (rate, ratio) and how often.
    """

    pure: tuple[tuple[float, int], ...] = ()
    gaussian: float = 0.0
    sampled: tuple[tuple[float, float, int], ...] = ()


@lru_cache(maxsize=4096)
def joint_epsilon(losses: Losses, delta: float) -> float:
    """The least epsilon at which all of the releases are (epsilon, delta)-private together."""
    infinite = math.isinf(losses.gaussian) or any(math.isinf(ratio) for _, ratio, _ in losses.sampled)
    total = sum(epsilon * times for epsilon, times in losses.pure)
    noisy = losses.gaussian > 0 or any(ratio > 0 for _, ratio, _ in losses.sampled)
    if infinite or math.isinf(total) or (noisy and delta == 0):
        return math.inf
    if delta == 0 or not (noisy or total):
        return total
    return max(_least_epsilon(_Direction(losses, removed), delta) for removed in (True, False))


class _Direction:
    """delta as a function of epsilon: with the record as P and without it as Q, or the other way round."""

    def __init__(self, losses: Losses, removed: bool) -> None:
        self.atoms, self.weights = _pure_losses(losses.pure)
        self.gaussian = losses.gaussian
        parts = [(rate, ratio, times) for rate, ratio, times in losses.sampled if ratio]
        self.single = not self.gaussian and [times for *_, times in parts] == [1]
        nodes = SINGLE_NODES if self.single else NODES
        self.sampled = [(*_sampled_losses(rate, ratio, removed, nodes), times) for rate, ratio, times in parts]
        self.noisy = self.gaussian > 0 or bool(parts)

    def delta(self, epsilon: float) -> float:
        rest = epsilon - self.atoms
        if not self.noisy:
            return float(self.weights @ -np.expm1(np.minimum(rest, 0)))
        if self.single:
            ((log_mass, losses, _),) = self.sampled  # one step: it needs no integral, which would not fall off
            return float(self.weights @ [np.exp(log_mass) @ -np.expm1(np.minimum(left - losses, 0)) for left in rest])
        return float(self.weights @ [self._noisy_delta(left) for left in rest])

    def log_moment(self, z: Complex) -> Complex:
        """Log E exp(z L) of the noisy part, at points (m,)."""
        total = z * (z + 1) * self.gaussian**2 / 2
        for log_mass, losses, times in self.sampled:
            total = total + times * _log_mean(z, losses, log_mass)
        return np.asarray(total)

    def _noisy_delta(self, epsilon: float) -> float:
        centre = self._centre(epsilon)
        top = self._exponent(np.array([centre + 0j]), epsilon)[0].real
        width = self._width(centre, epsilon, top)
        before, points = math.nan, POINTS
        while points <= MOST_POINTS:
            found = self._integral(centre, width, epsilon, points)
            if abs(found - before) <= ACCURACY * math.exp(top):
                break
            before, points = found, 2 * points
        return found

    def _integral(self, centre: float, width: float, epsilon: float, points: int) -> float:
        """Over t = width sinh(u) / sinh(STRETCH), where the integrand is an even function of u."""
        u, step = np.linspace(0, STRETCH, points, retstep=True)
        values = np.exp(self._exponent(centre + 1j * width * np.sinh(u) / math.sinh(STRETCH), epsilon)).real * np.cosh(
            u
        )
        values[0] /= 2
        return float(values.sum() * step * width / math.sinh(STRETCH) / math.pi)

    def _centre(self, epsilon: float) -> float:
        """Where the integrand is smallest on the real axis."""
        found = minimize_scalar(
            lambda log_c: self._exponent(np.array([math.exp(log_c) + 0j]), epsilon)[0].real,
            bounds=(math.log(1e-3), math.log(1e4)),
            method="bounded",
            options={"xatol": 1e-3},
        )
        return math.exp(found.x)

    def _width(self, centre: float, epsilon: float, top: float) -> float:
        """How far up the contour the integrand has fallen by FALL."""
        width = 1.0
        while self._exponent(np.array([centre + 1j * width]), epsilon)[0].real > top - FALL and width < 1e7:
            width *= 1.5
        return width

    def _exponent(self, z: Complex, epsilon: float) -> Complex:
        return np.asarray(self.log_moment(z) - z * epsilon - np.log(z) - np.log(z + 1))


def _least_epsilon(direction: _Direction, delta: float) -> float:
    if direction.delta(0.0) <= delta:
        return 0.0
    high = 1.0
    while direction.delta(high) > delta:
        high *= 2
    return float(brentq(lambda epsilon: direction.delta(epsilon) - delta, 0.0, high, xtol=1e-9, rtol=1e-9))


def _pure_losses(pure: Sequence[tuple[float, int]]) -> tuple[Floats, Floats]:
    """The losses of pure releases at their worst, +-epsilon each, and their probabilities under P.

    Where there are too many different sums, losses are rounded up to a grid.
    """
    atoms, weights = np.zeros(1), np.ones(1)
    for epsilon, times in pure:
        ups = np.arange(times + 1)
        log_weight = gammaln(times + 1) - gammaln(ups + 1) - gammaln(times - ups + 1)
        log_weight += ups * epsilon - times * np.logaddexp(0, epsilon)
        atoms = np.add.outer(atoms, (2 * ups - times) * epsilon).ravel()
        weights = np.multiply.outer(weights, np.exp(log_weight)).ravel()
        kept = weights > 1e-18
        atoms, weights = _gathered(atoms[kept], weights[kept])
    return atoms, weights


def _gathered(atoms: Floats, weights: Floats) -> tuple[Floats, Floats]:
    if len(atoms) <= CELLS:
        return atoms, weights
    step = np.ptp(atoms) / CELLS
    cells = np.ceil((atoms - atoms.min()) / step).astype(np.int64)
    return atoms.min() + step * np.arange(cells.max() + 1), np.bincount(cells, weights).astype(float)


def _sampled_losses(rate: float, ratio: float, removed: bool, nodes: int) -> tuple[Floats, Floats]:
    """Log probabilities under P and losses of the outcomes of one release on a Poisson sample, (m,) and (m,)."""
    x, step = np.linspace(-REACH, REACH + ratio, nodes + int(nodes * ratio / (2 * REACH)), retstep=True)
    without = -(x**2) / 2 - math.log(2 * math.pi) / 2
    with_record = np.logaddexp(math.log1p(-rate) if rate < 1 else -math.inf, math.log(rate) + x * ratio - ratio**2 / 2)
    loss = with_record if removed else -with_record
    log_mass = (without + with_record if removed else without) + math.log(step)
    return log_mass - logsumexp(log_mass), loss


def _log_mean(z: Complex, losses: Floats, log_mass: Floats) -> Complex:
    """Log of the mean of exp(z L), (m,), piece by piece so that it fits the cache."""
    return np.concatenate([_log_mean_piece(piece, losses, log_mass) for piece in np.array_split(z, -(-len(z) // 256))])


def _log_mean_piece(z: Complex, losses: Floats, log_mass: Floats) -> Complex:
    exponent = np.multiply.outer(z, losses) + log_mass
    top = exponent.real.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(exponent - top).sum(axis=1)) + top[:, 0])
