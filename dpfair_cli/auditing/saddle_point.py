"""The audit's own accountant: epsilon of many releases by convolution at the saddle point.

No mechanism is calibrated with this accountant, so that the audit does not repeat a mistake of the
accountants in `mechanisms`. One noisy release is set apart; its delta at each epsilon, delta_1, has
a closed form. Then

    delta(epsilon) = E delta_1(epsilon - L) = E exp(c L) * E_c[exp(-c L) delta_1(epsilon - L)],

where L is the privacy loss of all other releases, and E_c is the expectation under the law of L,
tilted by exp(c L). The tilt c is the saddle point, at which the bound E exp(c (L - epsilon)) is
smallest. This keeps all digits, however small delta is (Alghamdi et al. 2023, "The saddle-point
method in differential privacy"). The law of a sum of tilted losses is computed on a grid by Fourier
transform. The mass of each loss is split between the four grid points around the loss, in a way
that preserves the means of cubic polynomials. The grid is refined until epsilon converges.
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
from scipy.special import gammaln, log_ndtr

from dpfair_cli.contracts.arrays import Floats

FEWEST_POINTS, MOST_POINTS = 2**13, 2**20  # points of the grid: doubled until epsilon converges
ACCURACY = 1e-7  # relative change of epsilon that counts as converged
REACH = 12.0  # range of an expectation, in standard deviations of the noise
NODES, FEW_NODES = 1000, 50  # nodes of an expectation, per standard deviation
STEEPEST = 30.0  # largest shift of the noise by a tilt, in standard deviations
FARTHEST = 100.0  # largest ratio of a sampled release; a larger ratio costs at least as much
BEYOND = 40.0  # minus the logarithm of the tilted mass outside the grid
FAINT = 1e-17  # tilted masses below this are rounding errors
RARE = 1e-30  # probability of a sum of pure losses below which it is left out
ATOMS = 20_000  # largest number of different losses of pure releases


@dataclass(frozen=True)
class Losses:
    """The privacy losses of all releases of a fit.

    A ratio is the change of a Gaussian query in standard deviations of the noise.
    """

    pure: tuple[tuple[float, int], ...] = ()
    """Epsilons of pure releases, each with the number of these releases."""
    gaussian: float = 0.0  # the ratio of one unsampled Gaussian release
    sampled: tuple[tuple[float, float, int], ...] = ()
    """Sampled Gaussian releases: sampling rate, ratio and number of these releases."""


@lru_cache(maxsize=4096)
def joint_epsilon(losses: Losses, delta: float) -> float:
    """The smallest epsilon at which all releases together are (epsilon, delta)-DP."""
    ratios = [losses.gaussian, *(ratio for _, ratio, _ in losses.sampled)]
    # what they cost without any delta
    total = sum(epsilon * times for epsilon, times in losses.pure)
    if math.inf in (total, *ratios):
        return math.inf
    if delta == 0:
        return math.inf if any(ratios) else total
    if any(ratios):
        # mostly the larger one, which ends the search for the other at once
        removed = _noisy_epsilon(losses, delta, removed=True, least=0.0)
        return _noisy_epsilon(losses, delta, removed=False, least=removed)
    atoms, weights = _pure_losses(losses.pure)

    def curve(epsilon: float) -> Any:
        return -weights @ np.expm1(np.minimum(epsilon - atoms, 0))

    return min(total, _least_epsilon(curve, delta, 0.0))


@dataclass(frozen=True)
class _Gaussian:
    """A Gaussian release on a Poisson sample, for adding or for removing the record."""

    rate: float  # the sampling rate
    ratio: float  # the change of the query in standard deviations of the noise
    removed: bool  # whether P is the law with the record and Q without; False means the opposite

    def outcomes(self, tilt: float, nodes: int) -> tuple[Floats, Floats]:
        """The privacy losses of the outcomes of a release, (m,), and their log probabilities, (m,).

        Only outcomes are listed that matter if the probabilities are multiplied by exp(tilt loss).
        `nodes` is the number of outcomes in one standard deviation.
        """
        reach = REACH + abs(tilt) * self.ratio  # a tilt shifts the noise by so much
        count = math.ceil((2 * reach + self.ratio) * nodes)
        x, step = np.linspace(-reach, reach + self.ratio, count, retstep=True)
        with_record = np.logaddexp(
            self._log_rest, math.log(self.rate) + x * self.ratio - self.ratio**2 / 2
        )
        density = -(x**2) / 2 - math.log(2 * math.pi) / 2 + math.log(step)
        return (with_record, density + with_record) if self.removed else (-with_record, density)

    def delta(self, epsilon: Floats) -> Floats:
        """The least delta of a Gaussian release on a sample, at each `epsilon` of any sign, (m,).

        The result is the rate times the delta of an unsampled Gaussian at another epsilon.
        """
        sign = 1.0 if self.removed else -1.0
        within = sign * epsilon > self._log_rest  # otherwise all losses are larger, or all smaller
        t = np.where(within, epsilon, 0.0)
        excess = np.log(-np.expm1(self._log_rest - sign * t))
        # the outcome with loss t
        x = (sign * t + excess - math.log(self.rate)) / self.ratio + self.ratio / 2
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
    """A release with delta 0 in the worst case: two outcomes, of losses epsilon and -epsilon."""

    epsilon: float
    ratio = 0.0

    def outcomes(self, tilt: float, nodes: int) -> tuple[Floats, Floats]:
        """The privacy losses of the two outcomes, (2,), and their log probabilities, (2,)."""
        losses = np.array([self.epsilon, -self.epsilon])
        return losses, -np.logaddexp(0, -losses)


Part = tuple[_Gaussian | _Pure, int]  # a release, and the number of these releases


def _noisy_epsilon(losses: Losses, delta: float, *, removed: bool, least: float) -> float:
    """The epsilon, at `delta`, of releases of which one is Gaussian; at least `least`.

    With `removed` the neighbour lacks a record, otherwise it has one record more.
    """
    found = [part for part in losses.sampled if part[1]]
    found += [(1.0, losses.gaussian, 1)] if losses.gaussian else []
    # the release with the smoothest curve is set apart
    *others, (rate, ratio, times) = sorted(found, key=lambda part: part[0] * part[1])
    if not others and times == 1:
        apart = _Gaussian(rate, ratio, removed)
        return _least_epsilon(_with(apart, *_pure_losses(losses.pure)), delta, least)
    apart = _Gaussian(rate, min(ratio, FARTHEST), removed)
    rest: list[Part] = [
        (_Gaussian(rate, min(ratio, FARTHEST), removed), times) for rate, ratio, times in others
    ]
    rest += [(apart, times - 1), *((_Pure(epsilon), times) for epsilon, times in losses.pure)]
    return _convolved_epsilon(apart, rest, delta, least)


def _with(apart: _Gaussian, atoms: Floats, weights: Floats) -> Callable[[float], Any]:
    """The delta, as a function of epsilon, of a Gaussian release together with other releases.

    The other releases have the total privacy losses `atoms` (m,) with the weights `weights` (m,).
    """
    return lambda epsilon: weights @ apart.delta(epsilon - atoms)


def _convolved_epsilon(apart: _Gaussian, rest: Sequence[Part], delta: float, least: float) -> float:
    """The epsilon, at `delta`, of the release `apart` together with the rest; at least `least`.

    The sum of the losses of the rest is computed on finer and finer grids until epsilon converges.
    """
    parts = [*rest, (apart, 1)]
    # the exponent at which Chernoff's bound of delta gives the smallest epsilon, and this epsilon
    tilt, bound = _smallest(lambda s: (_log_moment(parts, s) - math.log(delta)) / s, parts)
    near = {"start": bound, "step": 1 / tilt}  # further away, tilted losses are rounding errors
    before, points = math.inf, FEWEST_POINTS
    while True:
        curve = _with(apart, *_tilted_losses(rest, tilt, points))
        found = _least_epsilon(curve, delta, least, **near)
        if abs(found - before) <= ACCURACY * max(found, 1) or points == MOST_POINTS:
            return found
        before, points = found, 2 * points


def _tilted_losses(parts: Sequence[Part], tilt: float, points: int) -> tuple[Floats, Floats]:
    """The values of the total privacy loss of all releases `parts`, (m,), and their weights, (m,).

    A weight is the probability times exp(tilt loss), divided by the sum of these products. `points`
    is the number of points of the grid.
    """
    at_tilt = _log_moment(parts, tilt)

    def farthest(side: int) -> float:
        """A bound that `side` times the loss exceeds with probability at most exp(-BEYOND)."""
        # Chernoff's bound
        return _smallest(
            lambda s: (_log_moment(parts, tilt + side * s) - at_tilt + BEYOND) / s, parts
        )[1]

    width = (farthest(1) + farthest(-1)) / (points - 8)  # 8 to spare: each mass takes four points
    start = math.floor(-farthest(-1) / width)
    spectrum = np.ones(points // 2 + 1, dtype=complex)
    for part, times in parts:
        losses, log_mass = part.outcomes(tilt, NODES)
        mass = np.exp(log_mass + tilt * losses - _log_moment([(part, 1)], tilt))
        spectrum *= fft.rfft(_shared_out(losses / width, mass, points)) ** times
    found = np.roll(fft.irfft(spectrum, points), -start)  # from the circle back to a line
    kept = np.abs(found) > FAINT  # the factor below would make a rounding error large
    atoms: Floats = width * np.arange(start, start + points, dtype=float)[kept]
    weights: Floats = found[kept] * np.exp(at_tilt - tilt * atoms)
    return atoms, weights


def _shared_out(places: Floats, mass: Floats, points: int) -> Floats:
    """The `mass` at the real numbers `places`, moved to integers on a circle, (points,).

    The mass of each place is split between the four integers around the place, by Lagrange's
    weights.
    """
    below = np.floor(places)
    t, shared = places - below, np.zeros(points)
    for step, others in ((-1, (0, 1, 2)), (0, (-1, 1, 2)), (1, (-1, 0, 2)), (2, (-1, 0, 1))):
        weight = np.prod([(t - other) / (step - other) for other in others], axis=0)
        shared += np.bincount((below.astype(np.int64) + step) % points, weight * mass, points)
    return shared


def _log_moment(parts: Sequence[Part], tilt: float) -> float:
    """The log moment log E exp(tilt L) of the privacy loss L of all releases."""
    total = 0.0
    for part, times in parts:
        losses, log_mass = part.outcomes(tilt, FEW_NODES)
        total += times * float(np.logaddexp.reduce(log_mass + tilt * losses)) if times else 0.0
    return total


def _smallest(function: Callable[[float], float], parts: Sequence[Part]) -> tuple[float, float]:
    """The exponent at which a bound is smallest, approximately, and the bound.

    The exponent shifts the noise of no release by more than STEEPEST standard deviations.
    """
    largest = STEEPEST / max(part.ratio for part, _ in parts)
    # every exponent gives a valid bound, so that two digits are enough
    found = minimize_scalar(
        lambda log: function(math.exp(log)),
        bounds=(math.log(largest) - 15, math.log(largest)),
        method="bounded",
        options={"xatol": 1e-2},
    )
    return math.exp(found.x), float(found.fun)


def _least_epsilon(
    curve: Callable[[float], Any],
    delta: float,
    least: float,
    *,
    start: float = 1.0,
    step: float = 1.0,
) -> float:
    """The epsilon at which a decreasing curve equals `delta`, or `least` if that is larger.

    The search begins at `start` with steps of `step`.
    """
    high, up = max(start, least), step  # steps double: a bad start costs few of them
    while curve(high) > delta:
        high, up = high + up, 2 * up
    low = high
    while low > least and curve(low) <= delta:
        high, low, step = low, max(low - step, least), 2 * step
    if curve(low) <= delta:
        return least
    return float(brentq(lambda epsilon: curve(epsilon) - delta, low, high, xtol=1e-10, rtol=1e-10))


def _pure_losses(pure: Sequence[tuple[float, int]]) -> tuple[Floats, Floats]:
    """The total losses of releases with delta 0 in the worst case, and their probabilities.

    Each item of `pure` is (epsilon, number of releases with this epsilon). Both results have the
    shape (m,).
    """
    atoms, weights = np.zeros(1), np.ones(1)
    for epsilon, times in pure:
        ups = np.arange(times + 1)
        log_weight = gammaln(times + 1) - gammaln(ups + 1) - gammaln(times - ups + 1)
        log_weight += ups * epsilon - times * np.logaddexp(0, epsilon)
        atoms = np.add.outer(atoms, (2 * ups - times) * epsilon).ravel()
        weights = np.multiply.outer(weights, np.exp(log_weight)).ravel()
        kept = weights > RARE  # otherwise their number would grow with every epsilon
        atoms, weights = _gathered(atoms[kept], weights[kept])
    return atoms, weights


def _gathered(atoms: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The losses `atoms` (m,) and their `weights` (m,), moved to a grid if m is above ATOMS.

    Moving a loss preserves the mean.
    """
    if len(atoms) <= ATOMS:
        return atoms, weights
    step = np.ptp(atoms) / ATOMS
    places = (atoms - atoms.min()) / step
    below = places.astype(np.int64)
    upper = weights * (places - below)
    mass = np.bincount(below, weights - upper, ATOMS + 2) + np.bincount(below + 1, upper, ATOMS + 2)
    return atoms.min() + step * np.arange(ATOMS + 2), np.asarray(mass, dtype=float)
