"""The laws of the noise of other libraries, which the audit follows as those of dpfair.

Bounded Laplace noise, of diffprivlib's LaplaceBoundedDomain (Holohan, Antonatos, Braghin and Mac
Aonghusa 2018), is restricted to an interval and renormalised. A recorded release holds the array
(value, lower end, upper end), (3,), because neighbours may have other ends. An end that is the
largest float, or minus the largest float, means infinity.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from dpfair_cli.auditing.laws import (
    LAWS,
    NoiseLaw,
    choice_uniform,
    l1,
    laplace_cdf,
    laplace_density,
    largest,
    residuals,
)
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import Release

FARTHEST = float(np.finfo(float).max)


def _geometric_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """As integer noise k has a probability, not a density, each k has an interval of [0, 1].

    The probability is proportional to e^(-|k| / scale).
    """
    k, ratio = residuals(replace(entry, scale=1.0)), np.exp(-1 / entry.scale)
    share = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    up_to = np.where(k < 0, ratio ** np.abs(k), 1 + ratio - ratio ** (np.abs(k) + 1)) / (1 + ratio)
    return np.asarray(up_to - rng.random(len(k)) * share)


def bounded_value(value: float, lower: float, upper: float) -> Floats:
    """The array (value, lower, upper), (3,), of a private value and an interval of outputs.

    Infinite ends become large numbers, whose differences exist.
    """
    return np.clip([value, lower, upper], -FARTHEST, FARTHEST)


def log_densities_at_ends(held: Floats, scale: float) -> Floats:
    """The log densities of bounded Laplace noise at both ends of the interval, times `scale`, (2,).

    `held` is (value, lower end, upper end). Terms that neighbours share are left out. For two
    values with the same ends, the ratio of the densities is monotonic between the ends, so its
    largest and smallest values are at the ends.
    """
    value, lower, upper = _ends(held)
    low = -value if np.isinf(lower) else lower - value
    high = value if np.isinf(upper) else value - upper
    log_kept = np.log(_kept(value, lower, upper, scale))
    return np.asarray(np.array([low, high]) - scale * log_kept)


def bounded_distribution(output: float, held: Floats, scale: float) -> float:
    """The probability that bounded Laplace noise gives an output of at most `output`.

    `held` is (value, lower end, upper end), (3,), and `scale` that of the Laplace noise.
    """
    value, lower, upper = _ends(held)
    return _kept(value, lower, output, scale) / _kept(value, lower, upper, scale)


def bounded_log_density(output: float, held: Floats, scale: float) -> float:
    """The log density of an output of bounded Laplace noise, up to a constant.

    The constant, log(2 scale), is the same for all values and ends, so that it cancels out in a
    ratio.
    """
    value, lower, upper = _ends(held)
    return float(-abs(output - value) / scale - np.log(_kept(value, lower, upper, scale)))


def _kept(value: float, lower: float, upper: float, scale: float) -> float:
    """The probability of the interval [lower, upper] under Laplace noise around `value`."""
    return float(np.diff(laplace_cdf((np.array([lower, upper]) - value) / scale))[0])


def _ends(held: Floats) -> tuple[float, float, float]:
    """The value and the ends of a recorded release; the largest floats are infinity again."""
    value, lower, upper = map(float, held)
    return value, -inf if lower <= -FARTHEST else lower, inf if upper >= FARTHEST else upper


LAWS |= {
    "geometric": NoiseLaw(l1, _geometric_uniform, laplace_density),
    "bounded_laplace": NoiseLaw(
        largest,
        lambda entry, rng: np.array(
            [bounded_distribution(float(entry.output), entry.value, entry.scale)]
        ),
        lambda entry, output: bounded_log_density(output, entry.value, entry.scale),
        moving=lambda entry: log_densities_at_ends(entry.value, entry.scale),
    ),
    # the norm is of log probabilities
    "choice": NoiseLaw(
        largest, choice_uniform, lambda entry, output: float(entry.value[int(output)])
    ),
    # the score of a unit vector x is x'Ax
    "bingham": NoiseLaw(lambda move: np.ptp(np.linalg.eigvalsh(move)) / 2, of_scores=True),
}
