"""What the audit knows of each mechanism: the norm of its sensitivity, and the law of its noise.

The law is known in two forms. The log density of an output is for likelihood ratios. The other form
are numbers that are uniform on [0, 1] if the noise has its stated law: for noise that is added, the
distribution function at (output - value) / scale; for a choice, a uniform draw between the
cumulative probabilities below and up to the chosen index.

An add-on adds the laws of mechanisms that it follows to LAWS.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.ledger import Release

KEPT = 300  # largest number of entries of one release that are tested
NODES = stats.laplace.ppf((np.arange(400) + 0.5) / 400)  # of the average over a noisy threshold
QUERIES = 2000  # largest number of queries in a tested release of the sparse vector technique
LEAST = 1e-300  # in place of a probability 0, whose logarithm does not exist


def _value(entry: Release) -> Floats:
    return np.asarray(entry.value, dtype=float)


class NoiseLaw(NamedTuple):
    """What is known of a mechanism."""

    norm: Callable[[Floats], Any]
    """The norm of a query's change in which the sensitivity is defined."""
    uniform: Callable[[Release, np.random.Generator], Any] | None = None
    """Uniform numbers from a release, if the noise is correct; None if the law is not tested."""
    log_density: Callable[[Release, Any], Any] | None = None
    """The log density, or log probability, of an output, up to a constant."""
    independent: bool = False
    """Whether entries have noise of their own, so that entries and releases are uncorrelated."""
    of_scores: bool = False
    """Whether a change costs twice as much, because one score can rise while the others fall."""
    moving: Callable[[Release], Floats] = _value
    """The numbers of a query on which the privacy loss depends, if not the value itself."""


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
def residuals(entry: Release) -> Floats:
    """The noise of some of the entries, in units of the scale."""
    found = np.ravel((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    if len(found) > 2 * KEPT:
        # evenly over the whole array: noise may be missing in a part of it
        found = found[np.linspace(0, len(found) - 1, 2 * KEPT).astype(int)]
    return np.asarray(found, dtype=float)


def l1(move: Floats) -> Any:
    """The L1 norm."""
    return np.abs(move).sum()


def largest(move: Floats) -> Any:
    """The largest absolute entry."""
    return np.abs(move).max()


def laplace_density(entry: Release, output: Any) -> Any:
    """The log density of Laplace noise."""
    return -np.abs(output - entry.value).sum() / entry.scale


def _laplace_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    return laplace_cdf(residuals(entry))


def laplace_cdf(x: Floats) -> Floats:
    """The distribution function of the Laplace law of scale 1, much faster than that of scipy."""
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)


def _gaussian_density(entry: Release, output: Any) -> Any:
    return -((output - entry.value) ** 2).sum() / (2 * entry.scale**2)


def _gaussian_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(special.ndtr(residuals(entry)))


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


def choice_uniform(entry: Release, rng: np.random.Generator) -> Floats:
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


# subset selection: the output has the indicators of the reported levels of each record
def _held(entry: Release, reported: Any) -> tuple[Mask, Floats]:
    """Whether reports hold the own level, (n,), and s + (k - s) exp(-epsilon) for s of k levels."""
    sets = np.asarray(reported, dtype=bool)
    sizes, k = sets.sum(axis=-1), sets.shape[-1]
    weights = sizes + (k - sizes) * np.exp(-1 / entry.scale)
    return (sets & np.asarray(entry.value, dtype=bool)).any(axis=-1), np.maximum(weights, LEAST)


def _subset_density(entry: Release, output: Any) -> Any:
    own, weights = _held(entry, output)
    return -((~own / entry.scale) + np.log(weights)).sum()


def _subset_uniform(entry: Release, rng: np.random.Generator) -> Floats:
    """Uniform numbers from the own level of each report, and from one of the other levels.

    The other level is the first one in cyclic order that is reported. Its place has the
    distribution of the smallest of m places that are drawn from k - 1 without replacement.
    """
    half = KEPT // 2  # two numbers from each row
    value, output = (np.atleast_2d(array)[:half] for array in (entry.value, entry.output))
    entry = replace(entry, value=value, output=output)
    own, weights = _held(entry, output)
    chances = output.sum(axis=1) / weights  # of the own level, given the size
    u = rng.random((2, len(own)))
    held = np.where(own, u[0] * chances, chances + u[0] * (1 - chances))
    k = value.shape[1]
    places = (value.argmax(axis=1)[:, None] + np.arange(1, k)) % k
    others = np.take_along_axis(output, places, axis=1)  # (n, k - 1)
    some = others.any(axis=1)
    m, first = others.sum(axis=1)[some], others.argmax(axis=1)[some]
    # the probabilities that none of the first places is drawn
    after, upto = (
        special.binom(k - 1 - j, m) / special.binom(k - 1, m) for j in (first, first + 1)
    )
    return np.concatenate([held, upto + u[1][some] * (after - upto)])


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
    gaps = np.subtract.outer(2 * unit * NODES, values[: first + 1])  # (nodes, first + 1)
    below = laplace_cdf(gaps / (4 * unit))
    before = below[:, :first].prod(axis=1)
    if first == len(values):
        return 1 - before.mean(), 1.0
    return 1 - before.mean(), 1 - (before * below[:, first]).mean()


LAWS = {
    "laplace": NoiseLaw(l1, _laplace_uniform, laplace_density, independent=True),
    "gaussian": NoiseLaw(
        lambda move: np.linalg.norm(np.ravel(move)),
        _gaussian_uniform,
        _gaussian_density,
        independent=True,
    ),
    "row_laplace": NoiseLaw(
        lambda move: np.linalg.norm(move, axis=-1).sum(),
        _row_uniform,
        _row_density,
        independent=True,
    ),
    # only differences of scores matter: a change of all scores by one number costs nothing
    "exponential": NoiseLaw(
        lambda move: np.ptp(move) / 2, choice_uniform, _choice_density, of_scores=True
    ),
    "above_threshold": NoiseLaw(largest, _threshold_uniform, _threshold_density),
    # the number of rows, one for each record, that are another level's indicators
    "randomised_response": NoiseLaw(
        lambda move: np.any(move, axis=-1).sum(),
        _response_uniform,
        _response_density,
        independent=True,
    ),
    "subset_selection": NoiseLaw(
        lambda move: np.any(move, axis=-1).sum(),
        _subset_uniform,
        _subset_density,
        independent=True,
    ),
}
