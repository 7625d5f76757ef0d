"""The sampling of noise: floating-point with an ordinary generator, exact with a secure one.

An ordinary generator with a seed reproduces committed results to the byte, and the noise is not
secret. With a `SecureGenerator` the probabilities are exact, and a privacy proof about real numbers
holds for the floating-point output (see `grid` and `chances`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.mechanisms.chances import happen
from dpfair_cli.mechanisms.device_noise import as_array, is_tensor, normal_like, placed_like
from dpfair_cli.mechanisms.discrete import UNIT, discrete_gaussian, discrete_laplace
from dpfair_cli.mechanisms.grid import SLACK, Grid
from dpfair_cli.mechanisms.secure import SecureGenerator


class Noisy(NamedTuple):
    """Values with noise."""

    values: Floats
    """The values after the noise was added, in the shape of the given values."""
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
        threshold = source.laplace(scale=scale)
        return values + source.laplace(scale=2 * scale, size=values.shape) > threshold, 1.0
    if scale == 0:
        return values > 0, 1.0
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
        return int(np.argmax(scores)), scale
    while True:
        places = source.integers(len(scores), size=2 * len(scores))
        accepted = _accepted(scores[places], best, scale, source)
        if accepted.any():
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
        return Noisy(values.copy(), 0.0)
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
