"""Statistical tests of recorded releases: law, scale and independence of noise, rates of batches.

An audit raises a false alarm with probability of at most one in a million.

Between neighbours, the query on a batch changes only if the differing record is in the batch. If
too many queries change, the batches were not sampled at their stated rate. If the queries of two
batches change together too often, the two batches are the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import isfinite, log, sqrt

import numpy as np
from scipy import special, stats

from dpfair_cli.auditing.laws import KEPT, LAWS, LEAST
from dpfair_cli.auditing.losses import pass_of
from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.mechanisms.ledger import Release

RARE = 1e-8  # probability of a false alarm of one test
ENOUGH = 3000  # numbers that suffice to detect a scale that is a tenth too small
RELEASES = 12  # largest number of releases of one fit that are compared with each other
# alternatives in the test of an exponential mechanism: relative changes of epsilon
TILTS = np.array([-0.5, -0.2, 0.2, 0.5, 1.0])
SHARED = "two releases, or two entries of one release, share noise"
DIGITS = 12  # decimals to which two numbers count as equal
STILL = 1e-9  # share of a sensitivity below which a change is a rounding error


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
            law = LAWS.get(entry.mechanism)
            if law is None or law.uniform is None:
                self.unknown.add(entry.mechanism)
                continue
            numbers = law.uniform(entry, self.rng)[:KEPT]
            self.uniform[entry.mechanism].append(numbers)
            if entry.mechanism == "exponential":
                self.likelihoods += _log_likelihood_ratios(entry)
            if law.independent and len(added) < RELEASES and len(numbers):
                self.firsts[len(added)].append(round(float(numbers[0]), DIGITS))
                self.neighbours.extend(_products(numbers[::2], numbers[1::2]))
                added.append(numbers)
        # pairs at random: a method may reuse the noise of any earlier release
        order = self.rng.permutation(len(added))
        for one, other in zip(order[::2], order[1::2], strict=False):
            self.products.extend(_products(added[one], added[other]))
        if sum(map(len, added)) > 1:
            # of all releases together
            self.shared.append(not _all_different(np.concatenate(added)))

    @property
    def enough(self) -> bool:
        """Whether enough noise of each mechanism was seen to detect a scale that is 10 % too small.

        Mechanisms whose law is not tested do not count.
        """
        return all(sum(map(len, found)) >= ENOUGH for found in self.uniform.values())

    def problems(self) -> Iterator[str]:
        """The messages about noise that does not have the declared distribution."""
        for mechanism, found in self.uniform.items():
            tilted = mechanism == "exponential" and self.likelihoods.max() > log(len(TILTS) / RARE)
            if tilted or not _looks_uniform(np.concatenate(found)):
                yield f"the noise of {mechanism} is not of the stated law and scale"
        # equal numbers in a single fit are chance, where the noise is that of a few levels
        if len(self.shared) >= 3 and sum(self.shared) > len(self.shared) / 2:
            yield SHARED
        elif _correlated(self.products) or _correlated(self.neighbours):
            yield "the noise of two releases, or of two entries of one release, is correlated"
        if any(len(set(numbers)) < len(numbers) for numbers in self.firsts.values()):
            yield "the noise does not come from the generator: two fits have equal noise"


class MembershipCheck:
    """A count of the batches that contain the record in which two neighbours differ.

    The batches of many fits are counted. The thresholds are Chernoff bounds.
    """

    def __init__(self) -> None:
        self.moved = self.expected = 0.0  # batches whose query changed; the sum of all rates
        self.together = self.expected_together = 0.0  # the same for pairs of successive batches
        self.in_two_of_a_pass = False

    def see(self, tape: Sequence[Release], changes: Sequence[float]) -> None:
        """Adds the releases of one fit, with the changes of the queries on a neighbour."""
        hidden: dict[int, tuple[float, bool]] = {}  # sample -> rate, whether a query of it changed
        passes: dict[int, set[int]] = {}  # pass over the data -> samples whose query changed
        for entry, change in zip(tape, changes, strict=True):
            draw, moves = entry.draw, bool(change > STILL * entry.sensitivity)
            if draw.sampling == "shuffled":
                moved = passes.setdefault(pass_of(draw), set())
                if moves:
                    moved.add(draw.sample)
            elif draw.sampling_rate < 1:
                _, moved_before = hidden.get(draw.sample, (0.0, False))
                hidden[draw.sample] = draw.sampling_rate, moves or moved_before
        batches = list(hidden.values())
        self.moved += sum(moves for _, moves in batches)
        self.expected += sum(rate for rate, _ in batches)
        for (rate, moves), (other_rate, other_moves) in zip(
            batches[::2], batches[1::2], strict=False
        ):
            self.together += moves and other_moves
            self.expected_together += rate * other_rate
        self.in_two_of_a_pass |= any(len(samples) > 1 for samples in passes.values())

    def problems(self) -> Iterator[str]:
        """The messages about wrong sampling of the batches."""
        if _too_many(self.moved, self.expected):
            yield "a record is in more batches than their sampling rate allows"
        elif _too_many(self.together, self.expected_together):
            yield "batches that should be drawn independently are the same"
        if self.in_two_of_a_pass:
            yield "a record is in two batches of one pass over the data"


def _too_many(found: float, expected: float) -> bool:
    """Whether `found` independent events are significantly more than expected (Chernoff)."""
    return found > expected and found - expected - found * log(found / expected) < log(RARE)


def _looks_uniform(numbers: Floats) -> bool:
    """Whether `numbers` look as if they were uniform on [0, 1], by two tests.

    The first is the Kolmogorov-Smirnov test. The second tests the scale of minus the logarithm of
    twice the distance to the nearer end of [0, 1], which is exponentially distributed.
    """
    if not len(numbers):
        return True
    total = -np.log(2 * np.clip(np.minimum(numbers, 1 - numbers), LEAST, None)).sum()
    tails = special.gammainc(len(numbers), total), special.gammaincc(len(numbers), total)
    return bool(min(tails) > RARE and stats.kstest(numbers, "uniform").pvalue > RARE)


def _products(one: Floats, other: Floats) -> Floats:
    """The products, entry by entry, of the normal scores of uniform numbers."""
    m = min(len(one), len(other))
    scores = [special.ndtri(np.clip(numbers[:m], 1e-12, 1 - 1e-12)) for numbers in (one, other)]
    return np.asarray(scores[0] * scores[1])


def _correlated(products: Sequence[float]) -> bool:
    """Whether the mean of products of independent normal scores is too far from 0 (Chernoff).

    The moment generating function of a product is 1 / sqrt(1 - s^2).
    """
    # of both signs: noise may be subtracted again
    mean = abs(np.mean(products)) if products else 0.0
    if not mean:
        return False
    s = (sqrt(1 + 4 * mean**2) - 1) / (2 * mean)
    return bool(-len(products) * (log(1 - s**2) / 2 + s * mean) < log(RARE))


def _all_different(numbers: Floats) -> bool:
    """Whether no two numbers are equal, up to the sign of the noise."""
    return len(np.unique(np.round(np.abs(numbers - 0.5), DIGITS))) == len(numbers)


def _log_likelihood_ratios(entry: Release) -> Floats:
    """For each of TILTS, the log likelihood ratio of less or more noise in a choice of an index.

    The denominator is the likelihood of the declared noise.
    """
    scores = np.asarray(entry.value, dtype=float).ravel() / entry.scale
    scores = scores - np.logaddexp.reduce(scores)
    normalisers = np.logaddexp.reduce(np.outer(1 + TILTS, scores), axis=-1)
    return np.asarray(TILTS * scores[int(entry.output)] - normalisers)
