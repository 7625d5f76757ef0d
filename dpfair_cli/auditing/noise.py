"""Whether the noise of recorded releases is what it is said to be: its law, its scale, and drawn afresh each time.

A release is turned into numbers that are uniform on [0, 1] if the mechanism draws from its law: the distribution
function at (output - value) / scale, or for a choice that at the outcome, randomised over its own probability. All
thresholds are of a false alarm in a million audits or less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import isfinite, sqrt
from typing import Any

import numpy as np
from scipy import special, stats

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.above_threshold import amplified
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-9  # probability of a false alarm of one test
FAR = 6.5  # standard deviations, of the same probability
KEPT = 300  # numbers of one release that are looked at
RELEASES = 12  # of one fit that are compared with each other
OUTCOMES = 2000  # of a choice that is looked at
THRESHOLDS = 400  # over which the noise on a threshold is averaged
DIGITS = 9  # to which two numbers are one


class NoiseCheck:
    """What the noise of many fits looks like."""

    def __init__(self) -> None:
        self.uniform: dict[str, list[Floats]] = defaultdict(list)  # mechanism -> numbers, by release
        self.products: list[float] = []  # of the noise of two releases of one fit, standardised
        self.shared: list[bool] = []  # for each fit with several releases: whether any two have a number in common
        self.repeated: list[bool] = []  # for each fit but the first: whether its noise is that of the one before
        self.before: list[Floats] = []
        self.rng = np.random.default_rng(0)  # for what of a release is looked at

    def see(self, tape: Sequence[Release]) -> None:
        """Look at the releases of one fit, whose generator is like that of no other fit."""
        drawn: list[Floats] = []
        for entry in tape:
            if not (isfinite(entry.scale) and entry.scale > 0 and np.isfinite(entry.value).all()):
                continue
            numbers = _UNIFORM[entry.mechanism](entry, self.rng)
            if len(numbers):
                self.uniform[entry.mechanism].append(numbers[:KEPT])
            if entry.mechanism in _ADDITIVE and len(drawn) < RELEASES and len(numbers):
                drawn.append(numbers)
        for one, other in combinations(drawn, 2):
            self.products.extend(_products(one[:KEPT], other[:KEPT]))
        if len(drawn) > 1:
            self.shared.append(any(_common(one, other) for one, other in combinations(drawn, 2)))
        if self.before and drawn:
            self.repeated.append(all(_common(one, other) for one, other in zip(self.before, drawn, strict=False)))
        self.before = drawn

    def problems(self) -> Iterator[str]:
        """What is wrong with it, in words."""
        for mechanism, found in self.uniform.items():
            if not _looks_uniform(np.concatenate(found)):
                yield f"the noise of {mechanism} is not of the law and scale that it states"
        if _usual(self.shared):
            yield "two releases share noise"
        elif len(self.products) > 50 and abs(np.sum(self.products)) > FAR * sqrt(len(self.products)):
            yield "the noise of two releases is correlated"
        if _usual(self.repeated):
            yield "the noise does not come from the generator: two fits have the same"


def _looks_uniform(numbers: Floats) -> bool:
    """Kolmogorov and Smirnov's test, and one of the share in the outer half, which sees a wrong scale sooner."""
    outer = (np.abs(numbers - 0.5) > 0.25).mean()
    spread = abs(outer - 0.5) * 2 * sqrt(len(numbers))
    return bool(spread < FAR and stats.kstest(numbers, "uniform").pvalue > RARE)


def _products(one: Floats, other: Floats) -> Floats:
    """Products of the normal scores of two releases, entry by entry: of mean 0 and deviation 1 if independent."""
    m = min(len(one), len(other))
    scores = [special.ndtri(np.clip(numbers[:m], 1e-12, 1 - 1e-12)) for numbers in (one, other)]
    return np.asarray(scores[0] * scores[1])


def _common(one: Floats, other: Floats) -> bool:
    """Whether two releases have the noise of an entry in common, up to its sign."""
    sides = [np.round(np.abs(numbers - 0.5), DIGITS) for numbers in (one, other)]
    return bool(np.isin(sides[0], sides[1][(sides[1] > 0.01) & (sides[1] < 0.49)]).any())


def _usual(found: Sequence[bool]) -> bool:
    """Whether most of at least three fits show it; by chance none does."""
    return len(found) >= 3 and sum(found) > len(found) / 2


def _residuals(entry: Release, rng: np.random.Generator) -> Floats:
    residuals = np.ravel((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    chosen = np.arange(len(residuals)) if len(residuals) <= 2 * KEPT else np.linspace(0, len(residuals) - 1, 2 * KEPT)
    return np.asarray(residuals[chosen.astype(int)], dtype=float)


def _of_laplace(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(stats.laplace.cdf(_residuals(entry, rng)))


def _of_gaussian(entry: Release, rng: np.random.Generator) -> Floats:
    return np.asarray(special.ndtr(_residuals(entry, rng)))


def _of_rows(entry: Release, rng: np.random.Generator) -> Floats:
    """Of the lengths of the rows, which have a Gamma distribution."""
    rows = np.atleast_2d((np.asarray(entry.output) - np.asarray(entry.value)) / entry.scale)
    return np.asarray(special.gammainc(rows.shape[1], np.linalg.norm(rows, axis=1)))


def _of_choice(entry: Release, rng: np.random.Generator) -> Floats:
    scores = np.asarray(entry.value, dtype=float)
    if not 1 < len(scores) <= OUTCOMES:
        return np.zeros(0)
    shares = special.softmax(scores / entry.scale)
    return np.array([shares[: int(entry.output)].sum() + rng.random() * shares[int(entry.output)]])


def _of_threshold(entry: Release, rng: np.random.Generator) -> Floats:
    if len(entry.value) > OUTCOMES:
        return np.zeros(0)
    left, right = threshold_interval(entry, int(entry.output))
    return np.array([left + rng.random() * (right - left)])


def threshold_interval(entry: Release, first: int) -> tuple[float, float]:
    """The probabilities that the sparse vector technique names a place before `first`, and one up to it."""
    values = np.asarray(entry.value, dtype=float)
    unit = entry.sensitivity / amplified(entry.sensitivity / entry.scale, entry.draw.sampling_rate)
    threshold = stats.laplace.ppf((np.arange(THRESHOLDS) + 0.5) / THRESHOLDS, scale=2 * unit)
    below = stats.laplace.cdf(
        np.subtract.outer(threshold, values[: first + 1]), scale=4 * unit
    )  # (THRESHOLDS, first + 1)
    before = below[:, :first].prod(axis=1)
    return 1 - before.mean(), 1 - (before * below[:, first]).mean() if first < len(values) else 1.0


_ADDITIVE = ("laplace", "gaussian")
_UNIFORM: dict[str, Callable[[Release, np.random.Generator], Any]] = {
    "laplace": _of_laplace,
    "gaussian": _of_gaussian,
    "row_laplace": _of_rows,
    "exponential": _of_choice,
    "above_threshold": _of_threshold,
}
