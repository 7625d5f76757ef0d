"""The sampling of noise: floating-point with an ordinary generator, exact with a secure one.

An ordinary generator with a seed reproduces committed results to the byte, and the noise is not
secret. With a `SecureGenerator` the probabilities are exact, and a privacy proof about real numbers
holds for the floating-point output (see below and `discrete`).

**The grid** has a spacing that is a power of two. Values are rounded on it, and noise is exact.
Ordinary floating-point noise is not private: each of two neighbouring values has outputs that the
other value cannot produce (Mironov 2012). Here a value x is rounded to x', the nearest multiple of
the spacing g. The noise is an integer z with exact probabilities. The output is x' + z g, rounded
to a double. Both x' and z g are exact doubles, and the output is therefore the double nearest to
(x' / g + z) g, which is a function of the noisy integer x' / g + z alone. The output is thus
post-processing of a mechanism on integers, and is as private as this mechanism.

The spacing depends only on the scale of the noise, and is at most 2^-41 of the scale. The scale of
the noise is increased for two reasons. Rounding moves each value by at most g / 2, and neighbours
can be g further apart in every value. A query, which is computed in floating point, may also exceed
its sensitivity by the share SLACK.

**A tensor of an accelerator** gets its noise there. The accelerator draws the noise with a separate
generator, whose seed the generator of the fit draws anew for each release. Accelerators have no
cryptographic generator. Secret noise is therefore drawn by the processor, with exact probabilities
as always, and the noisy vector is copied back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import ceil, frexp, ldexp, sqrt
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.training_context import Device
from dpfair_cli.mechanisms.discrete import (
    MOST_UNITS,
    UNIT,
    discrete_gaussian,
    discrete_laplace,
    happen,
)
from dpfair_cli.mechanisms.secure import SecureGenerator

SLACK = 2.0**-20  # share of a sensitivity by which a floating-point query may exceed it
WHOLE = 2.0**52  # steps: every double from there on is a multiple of the step
# scales for which neither the step nor the noise leaves the range of doubles
SMALLEST, LARGEST = 2.0**-900, 2.0**900


@dataclass(frozen=True)
class Grid:
    """The multiples of `step`, for noise whose scale is a multiple of UNIT steps."""

    step: float  # the spacing of the grid, a power of two

    @classmethod
    @lru_cache
    def for_scale(cls, scale: float) -> Grid:
        """The grid on which noise of this scale has a quarter to a half of MOST_UNITS units.

        Raises:
            ValueError: the scale is out of range.
        """
        if not SMALLEST <= scale <= LARGEST:
            raise ValueError(
                f"the scale of secure noise must be from {SMALLEST:.0e} to {LARGEST:.0e}, "
                f"got {scale:g}"
            )
        # a power of two: products with it are exact
        return cls(ldexp(2 / MOST_UNITS / UNIT, frexp(scale)[1]))

    def units(self, scale: float) -> int:
        """The scale in units of UNIT grid steps, rounded up.

        Raises:
            ValueError: there are more than MOST_UNITS units, because the scale is more than twice
                the scale that the grid was made for.
        """
        units = scale / (UNIT * self.step)
        if not units <= MOST_UNITS:
            raise ValueError(
                "secure noise for this release would be more than twice as large as ordinary "
                "noise: release fewer values at once or use a larger epsilon"
            )
        return ceil(units)  # up: never less noise than was asked for

    def nearest(self, values: Floats) -> Floats:
        """The multiples of the grid step nearest to `values`; errors as `plus`."""
        return np.asarray(self.plus(values, 0))

    def plus(self, values: Floats, steps: Ints | int) -> Floats:
        """The multiples of the grid step nearest to `values`, plus `steps` times the grid step.

        Both arrays have the same shape. The sums are rounded to doubles.

        Raises:
            ValueError: a value is not finite.
        """
        step = np.asarray(self.step)  # faster than a number of Python if there are few values
        # the sum of squares bounds every square, also with rounding; false for NaN and infinity
        if np.vdot(values, values) < (WHOLE * self.step) * (WHOLE * self.step):
            near: Floats = (np.rint(values / step) + steps) * step
            return near
        if not np.isfinite(values).all():
            raise ValueError(
                "every value that a mechanism releases must be finite, got NaN or infinity"
            )
        # larger values are multiples of the step already, and would overflow
        rounds = np.abs(values) < WHOLE * self.step
        rounded = np.rint(np.where(rounds, values, 0) / self.step) * self.step
        far: Floats = np.where(rounds, rounded, values) + steps * step
        return far


SEEDS = 2**62  # the number of seeds of a generator of torch


def is_tensor(values: object) -> bool:
    """Whether `values` are a tensor; False without an import of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.Tensor)


def as_array(values: Any) -> Floats:
    """A tensor as an array of doubles; an array is returned as it is."""
    return np.asarray(values.cpu().numpy().astype(float) if is_tensor(values) else values)


def placed_like(values: Floats, tensor: Any) -> Any:
    """An array as a tensor on the device of `tensor` and in its precision."""
    return tensor.new_tensor(values)


def normal_like(tensor: Any, sigma: float, source: np.random.Generator) -> Any:
    """Normal noise of standard deviation `sigma` for each entry of a tensor, on its device."""
    # a new seed each time: no two releases share noise
    drawn = Device(tensor.device.type).generator(int(source.integers(SEEDS)))
    return sigma * tensor.new_empty(tensor.shape).normal_(generator=drawn)


class Noisy(NamedTuple):
    """Values with noise."""

    values: Floats
    scale: float
    """The scale of the noise; the scale of exact noise is slightly larger than the given scale."""


def add_laplace(
    values: Floats, scale: float, l1_sensitivity: float, source: np.random.Generator
) -> Noisy:
    """`values` plus independent Laplace noise of `scale`; the epsilon is l1_sensitivity / scale."""
    if isinstance(source, SecureGenerator):
        return _on_grid(values, scale, l1_sensitivity, values.size, discrete_laplace, source)
    return Noisy(values + source.laplace(scale=scale, size=values.shape), scale)


def add_normal(
    values: Floats, sigma: float, l2_sensitivity: float, source: np.random.Generator
) -> Noisy:
    """`values` plus independent normal noise of standard deviation `sigma`.

    The exact noise is the discrete Gaussian distribution. Its probabilities are those of normal
    noise rounded to the grid, up to factors within 2^-78 of 1, and are 0 beyond 13.5 standard
    deviations. A proof for normal noise therefore holds for the exact noise with an epsilon that is
    larger by at most 2^-77, for which SLACK compensates, and with a delta that is larger by
    (1 + exp(epsilon)) 2^-135 for each value.

    The noisy values of a tensor are a tensor on its device.
    """
    if is_tensor(values):
        return _add_normal_on_device(values, sigma, l2_sensitivity, source)
    if isinstance(source, SecureGenerator):
        return _on_grid(values, sigma, l2_sensitivity, sqrt(values.size), discrete_gaussian, source)
    return Noisy(values + source.normal(scale=sigma, size=values.shape), sigma)


def _add_normal_on_device(
    tensor: Any, sigma: float, l2_sensitivity: float, source: np.random.Generator
) -> Noisy:
    """A tensor plus normal noise, which its device draws unless the noise must be secret."""
    if isinstance(source, SecureGenerator):
        noisy, scale = add_normal(as_array(tensor), sigma, l2_sensitivity, source)
        return Noisy(placed_like(noisy, tensor), scale)
    return Noisy(tensor + normal_like(tensor, sigma, source), sigma)


def are_above(
    values: Floats, scale: float, sensitivity: float, source: np.random.Generator
) -> tuple[Mask, float]:
    """Which of `values` with Laplace noise are above a threshold 0 with Laplace noise.

    The noise of a value has twice the `scale`, and the threshold is one Laplace variable of
    `scale`. All values may change by `sensitivity` between neighbours. Exact noise and values are
    compared as integers, in steps of the grid.

    Returns:
        The mask (m,) of the values above the threshold, and the factor by which the scale of exact
        noise is larger than `scale`.
    """
    if not isinstance(source, SecureGenerator):
        threshold = source.laplace(scale=scale)  # before the values, in the order of committed runs
        return values + source.laplace(scale=2 * scale, size=values.shape) > threshold, 1.0
    if scale == 0:
        return values > 0, 1.0
    # the larger of both scales, so that neither has too many units
    grid = Grid.for_scale(2 * scale)
    units = grid.units(scale * _growth(sensitivity, grid.step))
    steps = discrete_laplace(1, units, source) - discrete_laplace(values.size, 2 * units, source)
    return grid.nearest(values) > steps * grid.step, units * UNIT * grid.step / scale


def choose(scores: Floats, scale: float, source: np.random.Generator) -> tuple[int, float]:
    """An index of `scores` (m,) with probability proportional to exp(score / scale), and the scale.

    With a `SecureGenerator` the choice is exact: uniform indices are proposed until one is
    accepted, and the scale is slightly larger. At scale 0 the index is that of the first of the
    largest scores.

    Raises:
        ValueError: the largest score is not finite, or a score is NaN.
    """
    best = float(np.max(scores))
    if not np.isfinite(best):
        raise ValueError(
            f"the largest score of the exponential mechanism must be finite, got {best}"
        )
    if not isinstance(source, SecureGenerator):
        noise = source.gumbel(size=scores.shape)  # the Gumbel-max form
        # relative to the best score and the scale, so that no infinite scale hides the scores
        return int(np.argmax((scores - best) / scale + noise if scale else scores)), scale
    scale *= 1 + SLACK
    if scale == 0:
        # the first of the largest, as without a secure generator
        return int(np.argmax(scores)), scale
    while True:
        # in so many proposals one is accepted with a probability of at least 0.86
        places = source.integers(len(scores), size=2 * len(scores))
        accepted = _accepted(scores[places], best, scale, source)
        if accepted.any():
            # the first accepted one, whatever comes after it
            return int(places[np.argmax(accepted)]), scale


def _accepted(scores: Floats, best: float, scale: float, source: SecureGenerator) -> Mask:
    """Whether each index of `scores` is accepted, (n,).

    The probability is exp((score - best) / scale), where `best` is the largest score.
    """

    def chance(k: int) -> Decimal:
        return ((Decimal(float(scores[k])) - Decimal(best)) / Decimal(scale)).exp()

    with np.errstate(over="ignore"):  # a score infinitely far below the best has probability 0
        rough = np.exp((scores - best) / scale)
    return happen(rough, chance, source)


def _on_grid(
    values: Floats,
    scale: float,
    sensitivity: float,
    spread: float,
    draw: Callable[[int, int, SecureGenerator], Ints],
    source: SecureGenerator,
) -> Noisy:
    """`values` plus exact noise of at least `scale`, on a grid.

    `draw` draws the noise in grid steps. `spread` is the number of grid steps by which rounding may
    increase the sensitivity.
    """
    if scale == 0:
        return Noisy(values.copy(), 0.0)  # no grid: without noise the values stay as they are
    grid = Grid.for_scale(scale)
    units = grid.units(scale * _growth(sensitivity, spread * grid.step))
    steps = draw(values.size, units, source).reshape(values.shape)
    return Noisy(grid.plus(values, steps), units * UNIT * grid.step)


def _growth(sensitivity: float, rounding: float) -> float:
    """The factor by which the scale of noise grows because values are rounded.

    `rounding` is the amount by which rounding may increase the sensitivity. With sensitivity 0 the
    values are equal for all neighbours, and rounding adds nothing.
    """
    return 1 + SLACK + (rounding / sensitivity if sensitivity else 0)
