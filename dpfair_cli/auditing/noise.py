"""Statistical tests of the noise of recorded releases: law, scale and independence.

A release is transformed into numbers that are uniform on [0, 1] if the noise has its stated law.
For noise that is added, this number is the distribution function at (output - value) / scale. For a
choice, it is a uniform draw between the cumulative probabilities below and up to the chosen index.
An audit raises a false alarm with probability of at most one in a million.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isfinite, log, sqrt
from typing import Any

import numpy as np
from scipy import special, stats

from dpfair_cli.auditing import bounded_laplace
from dpfair_cli.auditing.log_sums import log_sum
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-8  # probability of a false alarm of one test
ENOUGH = 3000  # numbers that suffice to detect a scale that is a tenth too small
KEPT = 300  # largest number of entries of one release that are tested
RELEASES = 12  # largest number of releases of one fit that are compared with each other
THRESHOLDS = 400  # nodes for the average over the noise on a threshold
QUERIES = 2000  # largest number of queries in a tested release of the sparse vector technique
# alternatives in the test of an exponential mechanism: relative changes of epsilon
TILTS = np.array([-0.5, -0.2, 0.2, 0.5, 1.0])
SHARED = "two releases, or two entries of one release, share noise"
DIGITS = 12  # decimals to which two numbers count as equal


class NoiseCheck:
    """The noise of many fits, collected for statistical tests."""

    def __init__(self) -> None:
        # mechanism -> the uniform numbers of each release
        self.uniform: dict[str, list[Floats]] = defaultdict(list)
        self.products: list[float] = []  # of the normal scores of two releases of one fit
        self.neighbours: list[float] = []  # of the normal scores of two entries of one release
        self.shared: list[bool] = []  # for each fit: whether any two of its numbers are equal
        self.likelihoods = np.zeros(len(TILTS))  # log likelihood ratios of all choices
        self.unknown: set[str] = set()  # mechanisms whose law is not tested
        # position of a release in its fit -> its first number in each fit
        self.firsts: dict[int, list[float]] = defaultdict(list)
        self.rng = np.random.default_rng(0)  # chooses the entries that are tested

    def see(self, tape: Sequence[Release]) -> None:
        """Adds the releases of one fit; every fit must use its own random generator."""
        added: list[Floats] = []
        for entry in tape:
            if not (isfinite(entry.scale) and entry.scale > 0 and np.isfinite(entry.value).all()):
                continue
            if entry.mechanism not in _UNIFORM:
                self.unknown.add(entry.mechanism)
                continue
            numbers = _UNIFORM[entry.mechanism](entry, self.rng)[:KEPT]
            self.uniform[entry.mechanism].append(numbers)
            if entry.mechanism == "exponential":
                self.likelihoods += _log_likelihood_ratios(entry)
            if entry.mechanism in _INDEPENDENT and len(added) < RELEASES and len(numbers):
                self.firsts[len(added)].append(round(float(numbers[0]), DIGITS))
                self.neighbours.extend(_products(numbers[::2], numbers[1::2]))
                added.append(numbers)
        order = self.rng.permutation(len(added))
        for one, other in zip(order[::2], order[1::2], strict=False):
            self.products.extend(_products(added[one], added[other]))
        if sum(map(len, added)) > 1:
            self.shared.append(not _all_different(np.concatenate(added)))

    @property
    def enough(self) -> bool:
        """Whether enough noise was seen to detect a scale that is 10 % too small.

        This must be true for each mechanism that was seen.
        """
        return all(sum(map(len, found)) >= ENOUGH for found in self.uniform.values())

    def problems(self) -> Iterator[str]:
        """The messages about noise that does not have the declared distribution."""
        for mechanism, found in self.uniform.items():
            tilted = mechanism == "exponential" and self.likelihoods.max() > log(len(TILTS) / RARE)
            if tilted or not _looks_uniform(np.concatenate(found)):
                yield f"the noise of {mechanism} is not of the stated law and scale"
        if len(self.shared) >= 3 and sum(self.shared) > len(self.shared) / 2:
            yield SHARED
        elif _correlated(self.products) or _correlated(self.neighbours):
            yield "the noise of two releases, or of two entries of one release, is correlated"
        if any(len(set(numbers)) < len(numbers) for numbers in self.firsts.values()):
            yield "the noise does not come from the generator: two fits have equal noise"


def _looks_uniform(numbers: Floats) -> bool:
    """Whether `numbers` look as if they were uniform on [0, 1], by two tests.

    The first is the Kolmogorov-Smirnov test. The second tests the scale of minus the logarithm of
    twice the distance to the nearer end of [0, 1], which is exponentially distributed.
    """
    if not len(numbers):
        return True
    total = -np.log(2 * np.clip(np.minimum(numbers, 1 - numbers), 1e-300, None)).sum()
    tails = special.gammainc(len(numbers), total), special.gammaincc(len(numbers), total)
    return bool(min(tails) > RARE and stats.kstest(numbers, "uniform").pvalue > RARE)


def _products(one: Floats, other: Floats) -> Floats:
    """The products, entry by entry, of the normal scores of two releases.

    `one` and `other` are uniform numbers that were computed from the noise of the releases.
    """
    m = min(len(one), len(other))
    scores = [special.ndtri(np.clip(numbers[:m], 1e-12, 1 - 1e-12)) for numbers in (one, other)]
    return np.asarray(scores[0] * scores[1])


def _correlated(products: Sequence[float]) -> bool:
    """Whether the mean of products of independent normal scores is too far from 0 (Chernoff).

    The moment generating function of a product is 1 / sqrt(1 - s^2).
    """
    mean = abs(np.mean(products)) if products else 0.0
    if not mean:
        return False
    s = (sqrt(1 + 4 * mean**2) - 1) / (2 * mean)
    return bool(-len(products) * (log(1 - s**2) / 2 + s * mean) < log(RARE))


def _all_different(numbers: Floats) -> bool:
    """Whether no two numbers are equal, up to the sign of the noise."""
    return len(np.unique(np.round(np.abs(numbers - 0.5), DIGITS))) == len(numbers)


def _residuals(entry: Release, rng: np.random.Generator) -> Floats:
    residuals = np.ravel((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    if len(residuals) > 2 * KEPT:
        residuals = residuals[np.linspace(0, len(residuals) - 1, 2 * KEPT).astype(int)]
    return np.asarray(residuals, dtype=float)


def _of_laplace(entry: Release, rng: np.random.Generator) -> Floats:
    return _laplace_cdf(_residuals(entry, rng))


def _laplace_cdf(x: Floats) -> Floats:
    """The distribution function of the Laplace law of scale 1, much faster than that of scipy."""
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)


def _of_gaussian(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(special.ndtr(_residuals(entry, rng)))


def _of_rows(entry: Release, rng: np.random.Generator) -> Floats:
    """Uniform numbers from the noise of a release whose noise is drawn row by row.

    The numbers follow from the lengths of the noisy rows, which have a Gamma distribution, and from
    one coordinate of their directions. They are uniform only if the noise is correct.
    """
    rows = np.atleast_2d((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    rows = rows[: KEPT // 2]
    d, lengths = rows.shape[1], np.linalg.norm(rows, axis=1)
    first = np.clip((1 + rows[:, 0] / lengths) / 2, 0, 1)
    directions = special.betainc((d - 1) / 2, (d - 1) / 2, first) if d > 1 else np.zeros(0)
    return np.concatenate([special.gammainc(d, lengths), directions])


def _of_choice(entry: Release, rng: np.random.Generator) -> Floats:
    """A uniform number from the index that was chosen with the probabilities of the scores.

    The number lies between the cumulative probabilities of the chosen index and of the one before,
    in the order of the scores. With too little noise the largest scores are chosen too often.
    """
    scores = np.asarray(entry.value, dtype=float).ravel()
    if len(scores) < 2:
        return np.zeros(0)
    logs, chosen = scores / entry.scale, int(entry.output)
    shares = np.exp(logs - log_sum(logs))
    before = shares[scores > scores[chosen]].sum()
    before += shares[:chosen][scores[:chosen] == scores[chosen]].sum()
    return np.array([before + rng.random() * shares[chosen]])


def _of_response(entry: Release, rng: np.random.Generator) -> Floats:
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


def _log_likelihood_ratios(entry: Release) -> Floats:
    """The log likelihood ratios of the index that the exponential mechanism chose.

    Each ratio compares less or more noise with the declared noise.
    """
    scores = np.asarray(entry.value, dtype=float).ravel() / entry.scale
    scores = scores - log_sum(scores)
    normalisers = log_sum(np.outer(1 + TILTS, scores))
    return np.asarray(TILTS * scores[int(entry.output)] - normalisers)


def _of_threshold(entry: Release, rng: np.random.Generator) -> Floats:
    if len(entry.value) > QUERIES:
        return np.zeros(0)
    left, right = threshold_interval(entry, int(entry.output))
    return np.array([left + rng.random() * (right - left)])


def threshold_interval(entry: Release, first: int) -> tuple[float, float]:
    """The probabilities that the sparse vector technique returns < `first`, and <= `first`.

    The technique returns the index of the first noisy value above a threshold.
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


def _of_geometric(entry: Release, rng: np.random.Generator) -> Floats:
    """Uniform numbers from the integer noise of a release, if it is correct.

    Correct noise k has a probability proportional to e^(-|k| / scale).
    """
    k, ratio = _residuals(replace(entry, scale=1.0), rng), np.exp(-1 / entry.scale)
    share = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    up_to = np.where(k < 0, ratio ** np.abs(k), 1 + ratio - ratio ** (np.abs(k) + 1)) / (1 + ratio)
    return np.asarray(up_to - rng.random(len(k)) * share)


def _of_bounded_laplace(entry: Release, rng: np.random.Generator) -> Floats:
    return np.array([bounded_laplace.distribution(float(entry.output), entry.value, entry.scale)])


# mechanisms whose entries have noise of their own, so that entries and releases are uncorrelated
_INDEPENDENT = ("laplace", "gaussian", "row_laplace", "randomised_response")
_UNIFORM: dict[str, Callable[[Release, np.random.Generator], Any]] = {
    "laplace": _of_laplace,
    "gaussian": _of_gaussian,
    "row_laplace": _of_rows,
    "exponential": _of_choice,
    "above_threshold": _of_threshold,
    "randomised_response": _of_response,
    "geometric": _of_geometric,
    "bounded_laplace": _of_bounded_laplace,
    "choice": _of_choice,
}
