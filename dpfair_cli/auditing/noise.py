"""Whether the noise of recorded releases is what it is said to be: its law, its scale, and drawn
afresh each time.

A release is turned into numbers that are uniform on [0, 1] if the mechanism draws from its law: the
distribution function at (output - value) / scale, or for a choice that at the outcome, randomised
over its own probability. All thresholds are of a false alarm in a million audits or less.
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
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-8  # probability of a false alarm of one test
ENOUGH = 3000  # numbers, that show a scale which is a tenth too small
KEPT = 300  # numbers of one release that are looked at
RELEASES = 12  # of one fit that are compared with each other
THRESHOLDS = 400  # over which the noise on a threshold is averaged
QUERIES = 2000  # of the sparse vector technique that are looked at
TILTS = np.array(
    [-0.5, -0.2, 0.2, 0.5, 1.0]
)  # of an exponential mechanism: epsilons that are so much larger
DIGITS = 12  # to which two numbers are one


class NoiseCheck:
    """What the noise of many fits looks like."""

    def __init__(self) -> None:
        self.uniform: dict[str, list[Floats]] = defaultdict(
            list
        )  # mechanism -> numbers, by release
        self.products: list[float] = []  # of the noise of two releases of one fit, standardised
        self.neighbours: list[float] = []  # of that of two entries of one release
        self.shared: list[bool] = []  # for each fit: whether any two of its numbers are one
        self.likelihoods = np.zeros(
            len(TILTS)
        )  # of choices, under laws that choose larger or smaller scores
        self.unknown: set[str] = set()  # mechanisms whose law is not looked at
        self.firsts: dict[int, list[float]] = defaultdict(
            list
        )  # place of a release -> its first number, by fit
        self.rng = np.random.default_rng(0)  # for what of a release is looked at

    def see(self, tape: Sequence[Release]) -> None:
        """Look at the releases of one fit, whose generator is like that of no other fit."""
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
            if entry.mechanism in _ADDITIVE and len(added) < RELEASES and len(numbers):
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
        """Whether so many numbers of every mechanism were seen that a scale which is a tenth too
        small shows.
        """
        return all(sum(map(len, found)) >= ENOUGH for found in self.uniform.values())

    def problems(self) -> Iterator[str]:
        """What is wrong with it, in words."""
        for mechanism, found in self.uniform.items():
            tilted = mechanism == "exponential" and self.likelihoods.max() > log(len(TILTS) / RARE)
            if tilted or not _looks_uniform(np.concatenate(found)):
                yield f"the noise of {mechanism} is not of the law and scale that it states"
        if len(self.shared) >= 3 and sum(self.shared) > len(self.shared) / 2:  # by chance none is
            yield "two releases, or two entries of one, share noise"
        elif _correlated(self.products) or _correlated(self.neighbours):
            yield "the noise of two releases, or of two entries of one, is correlated"
        if any(len(set(numbers)) < len(numbers) for numbers in self.firsts.values()):
            yield "the noise does not come from the generator: two fits have the same"


def _looks_uniform(numbers: Floats) -> bool:
    """Kolmogorov and Smirnov's test, and one of the scale: -log of twice the distance to an end is
    exponential.
    """
    if not len(numbers):
        return True
    total = -np.log(2 * np.clip(np.minimum(numbers, 1 - numbers), 1e-300, None)).sum()
    tails = special.gammainc(len(numbers), total), special.gammaincc(len(numbers), total)
    return bool(min(tails) > RARE and stats.kstest(numbers, "uniform").pvalue > RARE)


def _products(one: Floats, other: Floats) -> Floats:
    """Products of the normal scores of two releases, entry by entry."""
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
    """Whether no two are the same, up to the sign of the noise."""
    return len(np.unique(np.round(np.abs(numbers - 0.5), DIGITS))) == len(numbers)


def _residuals(entry: Release, rng: np.random.Generator) -> Floats:
    residuals = np.ravel((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    chosen = (
        np.arange(len(residuals))
        if len(residuals) <= 2 * KEPT
        else np.linspace(0, len(residuals) - 1, 2 * KEPT)
    )
    return np.asarray(residuals[chosen.astype(int)], dtype=float)


def _of_laplace(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(stats.laplace.cdf(_residuals(entry, rng)))


def _of_gaussian(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(special.ndtr(_residuals(entry, rng)))


def _of_rows(entry: Release, rng: np.random.Generator) -> Floats:
    """Of the lengths of the rows, which have a Gamma distribution, and of one coordinate of their
    directions.
    """
    rows = np.atleast_2d((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)[
        : KEPT // 2
    ]
    d, lengths = rows.shape[1], np.linalg.norm(rows, axis=1)
    first = np.clip((1 + rows[:, 0] / lengths) / 2, 0, 1)
    directions = special.betainc((d - 1) / 2, (d - 1) / 2, first) if d > 1 else np.zeros(0)
    return np.concatenate([special.gammainc(d, lengths), directions])


def _of_choice(entry: Release, rng: np.random.Generator) -> Floats:
    """The outcomes are put in the order of their scores: with less noise the first of them come
    more often.
    """
    scores = np.asarray(entry.value, dtype=float).ravel()
    shares, chosen = special.softmax(scores / entry.scale), int(entry.output)
    before = (
        shares[scores > scores[chosen]].sum()
        + shares[:chosen][scores[:chosen] == scores[chosen]].sum()
    )
    return np.array([before + rng.random() * shares[chosen]]) if len(scores) > 1 else np.zeros(0)


def _log_likelihood_ratios(entry: Release) -> Floats:
    """Of the choice, under laws of less (or more) noise against the stated one; by chance it is
    seldom large.
    """
    scores = np.asarray(entry.value, dtype=float).ravel() / entry.scale
    scores = scores - special.logsumexp(scores)
    return np.asarray(
        TILTS * scores[int(entry.output)] - special.logsumexp(np.outer(1 + TILTS, scores), axis=1)
    )


def _of_threshold(entry: Release, rng: np.random.Generator) -> Floats:
    if len(entry.value) > QUERIES:
        return np.zeros(0)
    left, right = threshold_interval(entry, int(entry.output))
    return np.array([left + rng.random() * (right - left)])


def threshold_interval(entry: Release, first: int) -> tuple[float, float]:
    """The probabilities that the sparse vector technique names a place before `first`, and one up
    to it.
    """
    values = np.asarray(entry.value, dtype=float)
    unit = entry.sensitivity / amplified(entry.sensitivity / entry.scale, entry.draw.sampling_rate)
    threshold = stats.laplace.ppf((np.arange(THRESHOLDS) + 0.5) / THRESHOLDS, scale=2 * unit)
    below = stats.laplace.cdf(
        np.subtract.outer(threshold, values[: first + 1]), scale=4 * unit
    )  # (THRESHOLDS, first + 1)
    before = below[:, :first].prod(axis=1)
    return 1 - before.mean(), 1 - (before * below[:, first]).mean() if first < len(values) else 1.0


def _of_geometric(entry: Release, rng: np.random.Generator) -> Floats:
    """Of whole numbers, randomised over the probability of each, which is in proportion to e^(-|k|
    / scale).
    """
    k, ratio = _residuals(replace(entry, scale=1.0), rng), np.exp(-1 / entry.scale)
    share = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k)
    up_to = np.where(k < 0, ratio ** np.abs(k), 1 + ratio - ratio ** (np.abs(k) + 1)) / (1 + ratio)
    return np.asarray(up_to - rng.random(len(k)) * share)


def _of_bounded_laplace(entry: Release, rng: np.random.Generator) -> Floats:
    return np.array([bounded_laplace.distribution(float(entry.output), entry.value, entry.scale)])


_ADDITIVE = ("laplace", "gaussian", "row_laplace")
_UNIFORM: dict[str, Callable[[Release, np.random.Generator], Any]] = {
    "laplace": _of_laplace,
    "gaussian": _of_gaussian,
    "row_laplace": _of_rows,
    "exponential": _of_choice,
    "above_threshold": _of_threshold,
    "geometric": _of_geometric,
    "bounded_laplace": _of_bounded_laplace,
}
