"""How mechanisms draw: with NumPy's floating point from an ordinary generator, exactly from a
secure one.

An ordinary generator reproduces committed results to the byte, and its noise is no secret. From a
`SecureGenerator` the probabilities are exact, so that a proof about real numbers holds for what the
computer gives (`grid`, `chances`).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import sqrt
from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.mechanisms.chances import happen
from dpfair_cli.mechanisms.discrete import UNIT, discrete_gaussian, discrete_laplace
from dpfair_cli.mechanisms.grid import SLACK, Grid
from dpfair_cli.mechanisms.secure import SecureGenerator


class Noisy(NamedTuple):
    """Values with noise, and its scale, which exact noise has a little larger than was asked for."""

    values: Floats
    scale: float


def add_laplace(
    values: Floats, scale: float, l1_sensitivity: float, source: np.random.Generator
) -> Noisy:
    """`values` plus independent Laplace noise, which costs l1_sensitivity / scale."""
    if isinstance(source, SecureGenerator):
        return _on_grid(values, scale, l1_sensitivity, values.size, discrete_laplace, source)
    return Noisy(values + source.laplace(scale=scale, size=values.shape), scale)


def add_normal(
    values: Floats, sigma: float, l2_sensitivity: float, source: np.random.Generator
) -> Noisy:
    """`values` plus independent normal noise of deviation `sigma`.

    The exact noise is the discrete Gaussian. Its probabilities are those of normal noise rounded to
    the grid but for factors within 2^-78 of 1, and for none beyond 13.5 deviations: what is proved
    of normal noise holds for it, with at most 2^-77 more epsilon, which the SLACK gives back, and
    (1 + exp(epsilon)) 2^-135 more delta for each value.
    """
    if isinstance(source, SecureGenerator):
        return _on_grid(values, sigma, l2_sensitivity, sqrt(values.size), discrete_gaussian, source)
    return Noisy(values + source.normal(scale=sigma, size=values.shape), sigma)


def are_above(
    values: Floats, scale: float, sensitivity: float, source: np.random.Generator
) -> tuple[Mask, float]:
    """Which values (m,) with Laplace noise of twice the scale are above one noise of `scale`; and
    its growth.

    All values may move by `sensitivity`. Exact noise and values are compared as whole numbers of
    steps; it is of `growth` times the scale.
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
    """A place in `scores` (m,), chosen with probability in proportion to exp(score / scale); and
    that scale.

    The exact choice proposes places, all as likely, until one is accepted. At scale 0 it is the
    first of the largest.

    Raises:
        ValueError: the largest score is not a finite number, for an exact choice.
    """
    if not isinstance(source, SecureGenerator):
        return int(
            np.argmax(scores + scale * source.gumbel(size=scores.shape))
        ), scale  # the Gumbel-max form
    best, scale = float(np.max(scores)), scale * (1 + SLACK)
    if not np.isfinite(best):
        raise ValueError(f"the largest score must be a finite number, got {best}")
    if scale == 0:
        return int(np.argmax(scores)), scale
    while True:
        places = source.integers(len(scores), size=2 * len(scores))
        accepted = _accepted(scores[places], best, scale, source)
        if accepted.any():
            return int(places[np.argmax(accepted)]), scale


def _accepted(scores: Floats, best: float, scale: float, source: SecureGenerator) -> Mask:
    """Events (n,) of chance exp((score - best) / scale)."""

    def chance(k: int) -> Decimal:
        return ((Decimal(float(scores[k])) - Decimal(best)) / Decimal(scale)).exp()

    with np.errstate(over="ignore"):  # a score that is infinitely far below the best has no chance
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
    """`values` and exact noise of `scale` or a little more; in `spread` steps they may move further
    by rounding.
    """
    if scale == 0:
        return Noisy(values.copy(), 0.0)
    grid = Grid.for_scale(scale)
    units = grid.units(scale * _growth(sensitivity, spread * grid.step))
    steps = draw(values.size, units, source).reshape(values.shape)
    return Noisy(grid.nearest(values) + steps * grid.step, units * UNIT * grid.step)


def _growth(sensitivity: float, rounding: float) -> float:
    """By which factor the scale grows: values that never move do not move by rounding either."""
    return 1 + SLACK + (rounding / sensitivity if sensitivity else 0)
