"""What the audit knows of each mechanism: the norm of its sensitivity, and the law of its noise.

The law is known in two forms. The log density of an output is for likelihood ratios. The other form
are numbers that are uniform on [0, 1] if the noise has its stated law: for noise that is added, the
distribution function at (output - value) / scale; for a choice, a uniform draw between the
cumulative probabilities below and up to the chosen index.

Bounded Laplace noise, of diffprivlib's LaplaceBoundedDomain (Holohan, Antonatos, Braghin and Mac
Aonghusa 2018), is restricted to an interval and renormalised. A recorded release holds the array
(value, lower end, upper end), (3,), because neighbours may have other ends. An end that is the
largest float, or minus the largest float, means infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.ledger import Release

KEPT = 300  # largest number of entries of one release that are tested
THRESHOLDS = 400  # nodes for the average over the noise on a threshold
QUERIES = 2000  # largest number of queries in a tested release of the sparse vector technique
FARTHEST = float(np.finfo(float).max)
LEAST = 1e-300  # in place of a probability 0, whose logarithm does not exist


class Law(NamedTuple):
    """What is known of a mechanism."""

    norm: Callable[[Floats], Any]
    """The norm of a query's change in which the sensitivity is defined."""
    uniform: Callable[[Release, np.random.Generator], Any] | None = None
    """Uniform numbers from a release, if the noise is correct; None if the law is not tested."""
    log_density: Callable[[Release, Any], Any] | None = None
    """The log density, or log probability, of an output, up to a constant."""
    independent: bool = False
    """Whether entries have noise of their own, so that entries and releases are uncorrelated."""


def log_density(entry: Release, output: Any) -> float:
    """The log density of `output` as the output of a release; for an index, its log probability.

    Raises:
        ValueError: the density of the mechanism is unknown.
    """
    known = LAWS[entry.mechanism].log_density if entry.mechanism in LAWS else None
    if known is None:
        raise ValueError(
            f"the audit does not know the probability density of the mechanism {entry.mechanism}"
        )
    return float(known(entry, output)) if entry.scale else 0.0


# noise that is added to each entry
def _residuals(entry: Release) -> Floats:
    residuals = np.ravel((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    if len(residuals) > 2 * KEPT:
        # evenly over the whole array: noise may be missing in a part of it
        residuals = residuals[np.linspace(0, len(residuals) - 1, 2 * KEPT).astype(int)]
    return np.asarray(residuals, dtype=float)


def _l1(move: Floats) -> Any:
    return np.abs(move).sum()


def _largest(move: Floats) -> Any:
    return np.abs(move).max()


def _laplace_density(entry: Release, output: Any) -> Any:
    return -np.abs(output - entry.value).sum() / entry.scale


def _laplace_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    return _laplace_cdf(_residuals(entry))


def _laplace_cdf(x: Floats) -> Floats:
    """The distribution function of the Laplace law of scale 1, much faster than that of scipy."""
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)


def _gaussian_density(entry: Release, output: Any) -> Any:
    return -((output - entry.value) ** 2).sum() / (2 * entry.scale**2)


def _gaussian_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(special.ndtr(_residuals(entry)))


def _geometric_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """As integer noise k has a probability, not a density, each k has an interval of [0, 1].

    The probability is proportional to e^(-|k| / scale).
    """
    k, ratio = _residuals(replace(entry, scale=1.0)), np.exp(-1 / entry.scale)
    share = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    up_to = np.where(k < 0, ratio ** np.abs(k), 1 + ratio - ratio ** (np.abs(k) + 1)) / (1 + ratio)
    return np.asarray(up_to - rng.random(len(k)) * share)


# noise that is drawn row by row
def _row_density(entry: Release, output: Any) -> Any:
    return -np.linalg.norm(output - entry.value, axis=-1).sum() / entry.scale


def _row_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """The numbers follow from the lengths of the noisy rows and one coordinate of their directions.

    The lengths have a Gamma distribution.
    """
    rows = np.atleast_2d((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    rows = rows[: KEPT // 2]
    d, lengths = rows.shape[1], np.linalg.norm(rows, axis=1)
    first = np.clip((1 + rows[:, 0] / lengths) / 2, 0, 1)
    directions = special.betainc((d - 1) / 2, (d - 1) / 2, first) if d > 1 else np.zeros(0)
    return np.concatenate([special.gammainc(d, lengths), directions])


# choices of an index
def _choice_density(entry: Release, output: Any) -> Any:
    return special.log_softmax(entry.value / entry.scale)[int(output)]


def _choice_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """A uniform number from the index that was chosen with the probabilities of the scores.

    The intervals are in the order of the scores: with too little noise the largest scores are
    chosen too often, and the numbers are too small.
    """
    scores = np.asarray(entry.value, dtype=float).ravel()
    if len(scores) < 2:
        return np.zeros(0)
    logs, chosen = scores / entry.scale, int(entry.output)
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    before = shares[scores > scores[chosen]].sum()
    before += shares[:chosen][scores[:chosen] == scores[chosen]].sum()
    return np.array([before + rng.random() * shares[chosen]])


def _known_choice_density(entry: Release, output: Any) -> float:
    return float(entry.value[int(output)])


# randomised response: the value has the indicators of the levels of each record
def _response_density(entry: Release, output: Any) -> Any:
    return -(np.argmax(entry.value, axis=-1) != output).sum() / entry.scale


def _response_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """Uniform numbers from the reported levels, one for each record.

    The probability p of the own level comes first, and the k - 1 other levels follow in cyclic
    order, each with probability (1 - p) / (k - 1).
    """
    value = np.atleast_2d(entry.value)
    k, steps = value.shape[1], np.ravel(entry.output) - value.argmax(axis=1)
    away = (steps % k)[:KEPT]  # 0 for the own level
    if k < 2:
        return np.zeros(0)
    own = 1 / (1 + (k - 1) * np.exp(-1 / entry.scale))
    other = (1 - own) / (k - 1)
    first = np.where(away == 0, 0.0, own + (away - 1) * other)
    return np.asarray(first + rng.random(len(away)) * np.where(away == 0, own, other))


# the sparse vector technique: the index of the first noisy value above a noisy threshold
def _threshold_density(entry: Release, output: Any) -> float:
    left, right = _threshold_interval(entry, int(output))
    return float(np.log(max(right - left, LEAST)))


def _threshold_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    if len(entry.value) > QUERIES:
        return np.zeros(0)
    left, right = _threshold_interval(entry, int(entry.output))
    return np.array([left + rng.random() * (right - left)])


def _threshold_interval(entry: Release, first: int) -> tuple[float, float]:
    """The probabilities that the sparse vector technique returns < `first`, and <= `first`.

    Given the threshold, the noisy values are independent. The average over the threshold is
    computed at its quantiles.
    """
    values = np.asarray(entry.value, dtype=float)
    unit = entry.sensitivity / amplified(entry.sensitivity / entry.scale, entry.draw.sampling_rate)
    threshold = stats.laplace.ppf((np.arange(THRESHOLDS) + 0.5) / THRESHOLDS, scale=2 * unit)
    gaps = np.subtract.outer(threshold, values[: first + 1])  # (THRESHOLDS, first + 1)
    below = _laplace_cdf(gaps / (4 * unit))
    before = below[:, :first].prod(axis=1)
    if first == len(values):
        return 1 - before.mean(), 1.0
    return 1 - before.mean(), 1 - (before * below[:, first]).mean()


# bounded Laplace noise
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
    """The probability that bounded Laplace noise gives an output of at most `output`."""
    value, lower, upper = _ends(held)
    return _kept(value, lower, output, scale) / _kept(value, lower, upper, scale)


def bounded_log_density(output: float, held: Floats, scale: float) -> float:
    """The log density of an output of bounded Laplace noise, up to a constant."""
    value, lower, upper = _ends(held)
    return float(-abs(output - value) / scale - np.log(_kept(value, lower, upper, scale)))


def _kept(value: float, lower: float, upper: float, scale: float) -> float:
    """The probability of the interval [lower, upper] under Laplace noise around `value`."""
    return float(stats.laplace.cdf(upper, value, scale) - stats.laplace.cdf(lower, value, scale))


def _ends(held: Floats) -> tuple[float, float, float]:
    value, lower, upper = map(float, held)
    return value, -inf if lower <= -FARTHEST else lower, inf if upper >= FARTHEST else upper


def _bounded_density(entry: Release, output: Any) -> float:
    return bounded_log_density(output, entry.value, entry.scale)


def _bounded_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    return np.array([bounded_distribution(float(entry.output), entry.value, entry.scale)])


LAWS = {
    "laplace": Law(_l1, _laplace_uniform, _laplace_density, independent=True),
    "gaussian": Law(
        lambda move: np.linalg.norm(np.ravel(move)),
        _gaussian_uniform,
        _gaussian_density,
        independent=True,
    ),
    "row_laplace": Law(
        lambda move: np.linalg.norm(move, axis=-1).sum(),
        _row_uniform,
        _row_density,
        independent=True,
    ),
    # only differences of scores matter: a change of all scores by one number costs nothing
    "exponential": Law(lambda move: np.ptp(move) / 2, _choice_uniform, _choice_density),
    "above_threshold": Law(_largest, _threshold_uniform, _threshold_density),
    # the number of rows, one for each record, that are another level's indicators
    "randomised_response": Law(
        lambda move: np.any(move, axis=-1).sum(),
        _response_uniform,
        _response_density,
        independent=True,
    ),
    # mechanisms of other libraries
    "geometric": Law(_l1, _geometric_uniform, _laplace_density),
    # the norm is of log densities times the scale
    "bounded_laplace": Law(_largest, _bounded_uniform, _bounded_density),
    # the norm is of log probabilities
    "choice": Law(_largest, _choice_uniform, _known_choice_density),
    # the score of a unit vector x is x'Ax
    "bingham": Law(lambda move: np.ptp(np.linalg.eigvalsh(move)) / 2),
}
