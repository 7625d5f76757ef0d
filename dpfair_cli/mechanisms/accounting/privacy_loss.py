"""Privacy loss distribution of Gaussian noise on Poisson samples: a tight upper bound of epsilon.

Neighbours: add-or-remove-one. Let q be the sampling rate and s the noise multiplier. In units of
the sensitivity, the noisy sum of a batch has the distribution P = (1 - q) N(0, s^2) + q N(1, s^2)
if the data contain the record, and Q = N(0, s^2) otherwise. No pair of neighbours is easier to tell
apart than P and Q (Zhu, Dong and Wang 2022). The privacy loss of an outcome is log P/Q. The losses
of successive steps add up, and the distribution of their sum is a convolution. Both directions are
computed: P against Q (remove) and Q against P (add).

The computed epsilon is never too small, for three reasons. The axis of the loss is cut into cells,
and the mass of a cell is split between the two ends of the cell such that the probabilities under P
and under Q are both kept, which makes every delta(epsilon) larger (Doroshenko et al. 2022, "connect
the dots"). Mass beyond the grid counts as an infinite loss. ROUNDING bounds the error of the
Fourier transform. The computed epsilon is at most about 3e-5 of its value too large: a cell
of WIDTH standard deviations of the loss of one step adds at most WIDTH^2 / 4 = 6e-5 of the
variance.

In the functions below, s is the noise multiplier and q the sampling rate of one step, P and Q are
its outcomes as above, and `width` is the width of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import fft
from scipy.optimize import brentq, minimize_scalar
from scipy.special import ndtr

from dpfair_cli.contracts.arrays import Complexes, Floats
from dpfair_cli.mechanisms.budget import require_delta

WIDTH = 1 / 64  # width of a cell, in standard deviations of the loss of one step
CELLS = 2**21  # most cells of one step
TAIL = 9.0  # standard deviations of the noise; the mass beyond, 1e-19, counts as an infinite loss
LOST = 1e-8  # mass beyond the window of the composed loss, as a share of delta
ROUNDING = 1e-15  # error of a step's probabilities in the Fourier transform
UNDERFLOW = -750.0  # exp(UNDERFLOW) and smaller numbers are 0 in double precision

# the loss of one step: the index of the lowest cell, and the mass at its lower end and at each of
# the following cell ends
Step = tuple[int, Floats]


def loss_epsilon(parts: Sequence[tuple[float, float, int]], delta: float) -> float:
    """The least epsilon at `delta` of all parts (noise multiplier, sampling rate, steps) together.

    The result is the larger of the epsilons of adding and of removing a record.

    Raises:
        ValueError: delta is too small for double precision.
    """
    require_delta(delta)
    counts = [steps for _, _, steps in parts]
    spare = delta * (1 - LOST) - sum(counts) * (ROUNDING + 2 * ndtr(-TAIL))
    if spare < delta / 2:
        raise ValueError(
            f"the accountant 'pld' needs a delta larger than {delta:g} for {sum(counts)} steps: "
            "use a larger delta or the accountant 'rdp'"
        )
    width = min(_width(s, q) for s, q, _ in parts)  # one grid for all parts, whose losses are added
    cells = [_cells(s, q, width) for s, q, _ in parts]
    remove = [_connected(start, p, q, width) for start, p, q in cells]
    # the loss of adding is minus that of removing, with P and Q exchanged
    add = [_connected(-start - len(p), q[::-1], p[::-1], width) for start, p, q in cells]
    return max(
        _epsilon(*_convolved(steps, counts, width, LOST * delta), spare) for steps in (remove, add)
    )


def _width(s: float, q: float) -> float:
    """WIDTH standard deviations of the loss under P; more if there were above CELLS cells."""
    z = s * np.linspace(-TAIL, TAIL, 2001)
    density = np.exp(-(z**2) / (2 * s**2))
    losses = _loss(np.concatenate([z, z + 1]), s, q)
    weights = np.concatenate([(1 - q) * density, q * density])
    variance = np.average((losses - np.average(losses, weights=weights)) ** 2, weights=weights)
    return float(max(WIDTH * np.sqrt(variance), np.ptp(losses) / CELLS))


def _loss(z: Floats, s: float, q: float) -> Floats:
    """The privacy loss log P(z) / Q(z) of each outcome z of one step."""
    return np.asarray(np.logaddexp(_log_rest(q), math.log(q) + (2 * z - 1) / (2 * s**2)))


def _outcome(loss: Floats, s: float, q: float) -> Floats:
    """The outcome z whose privacy loss is `loss`; -inf where every outcome has a larger one."""
    with np.errstate(divide="ignore"):
        excess = np.log(-np.expm1(np.minimum(_log_rest(q) - loss, 0)))
    return s**2 * (loss - math.log(q) + excess) + 0.5


def _log_rest(q: float) -> float:
    return math.log1p(-q) if q < 1 else -math.inf


def _cells(s: float, q: float, width: float) -> tuple[int, Floats, Floats]:
    """The index of the lowest cell, and each cell's mass under P and under Q."""
    low, high = _loss(np.array([-TAIL * s, 1 + TAIL * s]), s, q) / width
    start = math.floor(low)  # outwards, so that the cells cover the range
    z = _outcome(np.arange(start, math.ceil(high) + 1) * width, s, q)
    without, shifted = _masses(z / s), _masses((z - 1) / s)
    return start, (1 - q) * without + q * shifted, without


def _masses(edges: Floats) -> Floats:
    """The mass of the standard normal distribution between successive edges.

    The mass in both tails is computed without cancellation.
    """
    right = edges[:-1] > 0
    a, b = np.where(right, -edges[1:], edges[:-1]), np.where(right, -edges[:-1], edges[1:])
    return np.asarray(ndtr(b) - ndtr(a))


def _connected(start: int, p: Floats, q: Floats, width: float) -> Step:
    """The loss of one step, where each cell's mass is split between its two ends.

    `p` and `q` are the masses of the cells under P and under Q, from the cell `start` on.
    """
    with np.errstate(divide="ignore"):
        # the mass p that would have the loss of the lower end
        level = np.exp(np.arange(start, start + len(p)) * width + np.log(q))
    upper = np.clip((p - level) / -np.expm1(-width), 0, p)
    return start, np.append(p - upper, 0) + np.append(0, upper)


def _convolved(
    steps: list[Step], counts: list[int], width: float, lost: float
) -> tuple[Floats, Floats]:
    """The values of the total privacy loss of counts[k] steps of each kind k, and their mass.

    At most `lost` of the mass is missing.
    """
    low, high = (math.ceil(_reach(side, steps, counts, width, lost) / width) for side in (-1, 1))
    # a circle that is long enough: what wraps around is at most `lost`
    size = fft.next_fast_len(low + high + 1, real=True)
    total = np.ones(size // 2 + 1, dtype=complex)
    for (start, mass), count in zip(steps, counts, strict=True):
        places = (start + np.arange(len(mass))) % size
        total *= _power(fft.rfft(np.bincount(places, weights=mass, minlength=size)), count)
    number = np.arange(-low, size - low)
    return number * width, np.maximum(np.roll(fft.irfft(total, size), low), 0)


def _power(transform: Complexes, count: int) -> Complexes:
    """The powers transform ** count; those that underflow to 0 are not computed.

    The transform of many steps is nearly everywhere 0: for 2,827 steps in 99.6 % of its places.
    """
    kept = np.abs(transform) >= math.exp(UNDERFLOW / max(count, 1))
    power = np.zeros_like(transform)
    power[kept] = transform[kept] ** count
    return power


def _reach(side: int, steps: list[Step], counts: list[int], width: float, lost: float) -> float:
    """A bound that `side` times the total loss exceeds with a probability of at most `lost`.

    Source: Chernoff's bound, with a numerically optimised exponent.
    """
    axes = [
        np.asarray(side * width * (start + np.arange(len(mass))), dtype=float)
        for start, mass in steps
    ]
    with np.errstate(divide="ignore"):
        log_masses = [np.log(mass) for _, mass in steps]

    def bound(log_tilt: float) -> float:
        tilt = math.exp(log_tilt)
        log_moment = 0.0
        for n, axis, log_mass in zip(counts, axes, log_masses, strict=True):
            log_moment += n * _log_sum(tilt * axis + log_mass)
        return float((log_moment - math.log(lost)) / tilt)

    largest = sum(n * axis.max() for n, axis in zip(counts, axes, strict=True))
    # every exponent gives a valid bound
    least = minimize_scalar(bound, bounds=(-7, 9), method="bounded", options={"xatol": 0.1})
    return min(float(largest), float(least.fun))


def _log_sum(exponents: Floats) -> float:
    """The logarithm of the sum of exp(exponents)."""
    largest = exponents.max()  # taken out first, because exp would overflow
    return float(largest + np.log(np.exp(exponents - largest).sum()))


def _epsilon(losses: Floats, mass: Floats, delta: float) -> float:
    """The epsilon at which the expectation of max(0, 1 - exp(epsilon - loss)) is `delta`."""

    def excess(epsilon: float) -> float:
        above = np.searchsorted(losses, epsilon)
        return float(-(mass[above:] @ np.expm1(epsilon - losses[above:]))) - delta

    if excess(0) <= 0:
        return 0.0
    tolerance = 1e-9  # added, because the root may lie on the wrong side
    return float(brentq(excess, 0, losses[-1], xtol=tolerance)) + tolerance
