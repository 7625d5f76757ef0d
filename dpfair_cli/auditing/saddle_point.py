"""Epsilon of many releases by convolution of the privacy loss about its saddle point: the audit's
own accountant.

No mechanism calibrates its noise by it, so that a mistake of an accountant is not repeated by the
audit. With L the privacy loss of an outcome drawn from P, and one noisy release set apart, whose
own curve delta_1 has a closed form,

    delta(epsilon) = E delta_1(epsilon - L) = E exp(c L) * E_c[exp(-c L) delta_1(epsilon - L)],

L being the loss of all the others and E_c their law tilted by exp(c L). c is the saddle point,
where the bound E exp(c (L - epsilon)) is least, so that no digits are lost however small delta is
(Alghamdi et al. 2023, "The saddle- point method in differential privacy"). Tilted losses are added
up on a grid by Fourier transform; each is shared out to the four points around it so that cubic
polynomials keep their mean, and the grid is made finer until epsilon stands still.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import fft
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammaln, log_ndtr, logsumexp

from dpfair_cli.contracts.arrays import Floats

FEWEST_POINTS, MOST_POINTS = 2**13, 2**20  # of the grid: twice as many until epsilon stands still
ACCURACY = 1e-7  # of an epsilon
REACH = 12.0  # deviations of the noise that an expectation covers
NODES, FEW_NODES = 1000, 50  # of it, in a deviation
STEEPEST = 30.0  # a tilt: by how many deviations it moves the noise
FARTHEST = 100.0  # ratio of a sampled release; one that is larger costs no less
BEYOND = 40.0  # minus the logarithm of the tilted mass that the grid misses
FAINT = 1e-17  # a tilted mass that is rounding
RARE = 1e-30  # a probability of a sum of pure losses that is left out
ATOMS = 20_000  # different losses of pure releases


@dataclass(frozen=True)
class Losses:
    """What was released: pure epsilons and how often, the ratio of one Gaussian release, and
    sampled Gaussian ones.

    A ratio is what a record moves in deviations of the noise; `sampled` holds (rate, ratio) and how
    often.
    """

    pure: tuple[tuple[float, int], ...] = ()
    gaussian: float = 0.0
    sampled: tuple[tuple[float, float, int], ...] = ()


@lru_cache(maxsize=4096)
def joint_epsilon(losses: Losses, delta: float) -> float:
    """The least epsilon at which all of the releases are (epsilon, delta)-private together."""
    ratios = [losses.gaussian, *(ratio for _, ratio, _ in losses.sampled)]
    total = sum(epsilon * times for epsilon, times in losses.pure)
    if math.inf in (total, *ratios):
        return math.inf
    if delta == 0:
        return math.inf if any(ratios) else total
    if any(ratios):
        removed = _noisy_epsilon(losses, delta, removed=True, least=0.0)
        return _noisy_epsilon(losses, delta, removed=False, least=removed)
    atoms, weights = _pure_losses(losses.pure)
    return min(
        total,
        _least_epsilon(
            lambda epsilon: -weights @ np.expm1(np.minimum(epsilon - atoms, 0)), delta, 0.0
        ),
    )


@dataclass(frozen=True)
class _Gaussian:
    """A Gaussian release on a sample: `removed` with the record as P and without it as Q, or the
    other way round.
    """

    rate: float
    ratio: float
    removed: bool

    def outcomes(self, tilt: float, nodes: int) -> tuple[Floats, Floats]:
        """Losses, and logarithms of their probabilities, of what can come out as far as so steep a
        tilt (m,), (m,).
        """
        reach = REACH + abs(tilt) * self.ratio
        count = math.ceil((2 * reach + self.ratio) * nodes)
        x, step = np.linspace(-reach, reach + self.ratio, count, retstep=True)
        with_record = np.logaddexp(
            self._log_rest, math.log(self.rate) + x * self.ratio - self.ratio**2 / 2
        )
        density = -(x**2) / 2 - math.log(2 * math.pi) / 2 + math.log(step)
        return (with_record, density + with_record) if self.removed else (-with_record, density)

    def log_moment(self, tilt: float) -> float:
        """Log E exp(tilt L)."""
        losses, log_mass = self.outcomes(tilt, FEW_NODES)
        return float(logsumexp(log_mass + tilt * losses))

    def delta(self, epsilon: Floats) -> Floats:
        """The least delta at each epsilon, of any sign, (m,): rate times that of a Gaussian at
        another epsilon.
        """
        sign = 1.0 if self.removed else -1.0
        within = sign * epsilon > self._log_rest  # else all outcomes lose more, or none does
        t = np.where(within, epsilon, 0.0)
        excess = np.log(-np.expm1(self._log_rest - sign * t))
        x = (
            sign * t + excess - math.log(self.rate)
        ) / self.ratio + self.ratio / 2  # the outcome that loses t
        if self.removed:
            found = self.rate * np.exp(log_ndtr(self.ratio - x)) - np.exp(t + excess + log_ndtr(-x))
            return np.where(within, found, -np.expm1(np.minimum(epsilon, 0)))
        found = np.exp(excess + log_ndtr(x)) - self.rate * np.exp(t + log_ndtr(x - self.ratio))
        return np.where(within, found, 0.0)

    @property
    def _log_rest(self) -> float:
        return math.log1p(-self.rate) if self.rate < 1 else -math.inf


@dataclass(frozen=True)
class _Pure:
    """A pure release at its worst: one of two outcomes, the more probable of which loses epsilon."""

    epsilon: float
    ratio = 0.0

    def outcomes(self, tilt: float, nodes: int) -> tuple[Floats, Floats]:
        """Losses and logarithms of their probabilities, (2,) and (2,)."""
        losses = np.array([self.epsilon, -self.epsilon])
        return losses, -np.logaddexp(0, -losses)

    def log_moment(self, tilt: float) -> float:
        """Log E exp(tilt L)."""
        losses, log_mass = self.outcomes(tilt, 0)
        return float(logsumexp(log_mass + tilt * losses))


Part = tuple[_Gaussian | _Pure, int]  # and how often


def _noisy_epsilon(losses: Losses, delta: float, *, removed: bool, least: float) -> float:
    """The epsilon of releases some of which are Gaussian, in one direction, or `least` if it is
    less.
    """
    found = [(rate, ratio, times) for rate, ratio, times in losses.sampled if ratio]
    found += [(1.0, losses.gaussian, 1)] if losses.gaussian else []
    *others, (rate, ratio, times) = sorted(
        found, key=lambda part: part[0] * part[1]
    )  # the least kinked curve is apart
    if not others and times == 1:
        apart, (atoms, weights) = _Gaussian(rate, ratio, removed), _pure_losses(losses.pure)
        return _least_epsilon(lambda epsilon: weights @ apart.delta(epsilon - atoms), delta, least)
    apart = _Gaussian(rate, min(ratio, FARTHEST), removed)
    rest: list[Part] = [
        (_Gaussian(rate, min(ratio, FARTHEST), removed), times) for rate, ratio, times in others
    ]
    rest += [(apart, times - 1), *((_Pure(epsilon), times) for epsilon, times in losses.pure)]
    return _convolved_epsilon(apart, rest, delta, least)


def _convolved_epsilon(apart: _Gaussian, rest: Sequence[Part], delta: float, least: float) -> float:
    """The epsilon of one release and the rest of them, or `least` if it is less, on finer and finer
    grids.
    """
    tilt, bound = _saddle_point([*rest, (apart, 1)], delta)
    near = {"start": bound, "step": 1 / tilt}  # elsewhere the tilted losses are mostly rounding
    before, points = math.inf, FEWEST_POINTS
    while True:
        atoms, weights = _tilted_losses(rest, tilt, points)
        found = _least_epsilon(
            lambda epsilon: weights @ apart.delta(epsilon - atoms), delta, least, **near
        )
        if abs(found - before) <= ACCURACY * max(found, 1) or points == MOST_POINTS:
            return found
        before, points = found, 2 * points


def _saddle_point(parts: Sequence[Part], delta: float) -> tuple[float, float]:
    """The tilt at which Chernoff's bound of delta gives the least epsilon, and that epsilon."""
    return _smallest(
        lambda tilt: (_log_moment(parts, tilt) - math.log(delta)) / tilt, _steepest(parts)
    )


def _tilted_losses(parts: Sequence[Part], tilt: float, points: int) -> tuple[Floats, Floats]:
    """The sums of the losses of all parts that count, and their probabilities, (m,) and (m,)."""
    at_tilt = _log_moment(parts, tilt)

    def farthest(side: int) -> float:
        """A bound that the sum is beyond, on one side, with probability exp(-BEYOND) at most
        (Chernoff).
        """
        return _smallest(
            lambda s: (_log_moment(parts, tilt + side * s) - at_tilt + BEYOND) / s, _steepest(parts)
        )[1]

    width = (farthest(1) + farthest(-1)) / (points - 8)
    start = math.floor(-farthest(-1) / width)
    spectrum = np.ones(points // 2 + 1, dtype=complex)
    for part, times in parts:
        losses, log_mass = part.outcomes(tilt, NODES)
        mass = np.exp(log_mass + tilt * losses - part.log_moment(tilt))
        spectrum *= fft.rfft(_shared_out(losses / width, mass, points)) ** times
    found = np.roll(fft.irfft(spectrum, points), -start)
    kept = np.abs(found) > FAINT
    atoms: Floats = width * np.arange(start, start + points, dtype=float)[kept]
    weights: Floats = found[kept] * np.exp(at_tilt - tilt * atoms)
    return atoms, weights


def _shared_out(places: Floats, mass: Floats, points: int) -> Floats:
    """Mass at real places on a circle of whole numbers (points,), by Lagrange's weights of the four
    around each.
    """
    below = np.floor(places)
    t, shared = places - below, np.zeros(points)
    for step, others in ((-1, (0, 1, 2)), (0, (-1, 1, 2)), (1, (-1, 0, 2)), (2, (-1, 0, 1))):
        weight = np.prod([(t - other) / (step - other) for other in others], axis=0)
        shared += np.bincount((below.astype(np.int64) + step) % points, weight * mass, points)
    return shared


def _log_moment(parts: Sequence[Part], tilt: float) -> float:
    return sum(times * part.log_moment(tilt) for part, times in parts if times)


def _steepest(parts: Sequence[Part]) -> float:
    return STEEPEST / max(part.ratio for part, _ in parts)


def _smallest(function: Callable[[float], float], largest: float) -> tuple[float, float]:
    """Where a function of a positive number, up to `largest`, is about smallest, and its value
    there.
    """
    found = minimize_scalar(
        lambda log: function(math.exp(log)), bounds=(math.log(largest) - 15, math.log(largest)), method="bounded",
        options={"xatol": 1e-2},
    )  # fmt: skip
    return math.exp(found.x), float(found.fun)


def _least_epsilon(
    curve: Callable[[float], Any],
    delta: float,
    least: float,
    *,
    start: float = 1.0,
    step: float = 1.0,
) -> float:
    """The epsilon at which a falling curve is at `delta`, or `least` if that is less, looked for
    around `start`.
    """
    high, up = max(start, least), step
    while curve(high) > delta:
        high, up = high + up, 2 * up
    low = high
    while low > least and curve(low) <= delta:
        high, low, step = low, max(low - step, least), 2 * step
    if curve(low) <= delta:
        return least
    return float(brentq(lambda epsilon: curve(epsilon) - delta, low, high, xtol=1e-10, rtol=1e-10))


def _pure_losses(pure: Sequence[tuple[float, int]]) -> tuple[Floats, Floats]:
    """The losses of pure releases at their worst, +-epsilon each, and their probabilities under P,
    (m,) and (m,).
    """
    atoms, weights = np.zeros(1), np.ones(1)
    for epsilon, times in pure:
        ups = np.arange(times + 1)
        log_weight = gammaln(times + 1) - gammaln(ups + 1) - gammaln(times - ups + 1)
        log_weight += ups * epsilon - times * np.logaddexp(0, epsilon)
        atoms = np.add.outer(atoms, (2 * ups - times) * epsilon).ravel()
        weights = np.multiply.outer(weights, np.exp(log_weight)).ravel()
        kept = weights > RARE
        atoms, weights = _gathered(atoms[kept], weights[kept])
    return atoms, weights


def _gathered(atoms: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The same on a grid, if there are too many: each is shared out to the two points around it,
    about its mean.
    """
    if len(atoms) <= ATOMS:
        return atoms, weights
    step = np.ptp(atoms) / ATOMS
    places = (atoms - atoms.min()) / step
    below = places.astype(np.int64)
    upper = weights * (places - below)
    mass = np.bincount(below, weights - upper, ATOMS + 2) + np.bincount(below + 1, upper, ATOMS + 2)
    return atoms.min() + step * np.arange(ATOMS + 2), np.asarray(mass, dtype=float)
