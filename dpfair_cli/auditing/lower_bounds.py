"""Lower bounds of epsilon with 95 % confidence, from outputs of a method.

`likelihood_ratio_bound` fits one of two neighbours many times and guesses each time which one was
fitted. The guess uses the likelihood ratio of the outputs, which follows from the recorded queries
and the laws of the noise; no test is stronger (Neyman and Pearson).

The other two bounds need one training. A coin decided for each canary, a planted record, whether it
was included. The output of the training gives each canary a guess and a score.

- `one_run_bound` counts the right guesses about the canaries with the most extreme scores (Steinke,
  Nasr and Jagielski 2023, Theorem 5.2).
- `score_sum_bound` gives each guess a weight from 0 to 1: the larger the score, the larger the
  weight. The statistic is the sum of the weights of the right guesses.

An audit states one of the two, so that its verdict has the confidence of the bound. Which one
follows from the number of canaries and delta alone.

Why the bound by scores is valid. Let the training be (epsilon, 0)-DP for one canary, and p =
e^epsilon / (e^epsilon + 1). Given the output and all coins before coin i, the later coins are fair,
so that the density of the output for one side of coin i is at most e^epsilon times that for the
other side. By Bayes' rule, every guess that the output gives for coin i is right with probability
at most p. Adding one coin after another, the statistic is at most, in distribution, the sum of
weight times a coin that is 1 with probability p. The weights depend on the output alone, and the
law of this sum is computed exactly. Let the training now be (epsilon, delta)-DP. The laws of the
output for both sides of a coin are mixtures: with probability 1 - delta of two laws that are
(epsilon, 0)-close, else of any two (Kairouz, Oh and Viswanath 2015). If no coin falls into the
second case, which has probability at least 1 - canaries delta, the argument above holds. A p-value
is therefore the tail of the sum plus canaries times delta.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

from dpfair_cli.auditing.laws import LEAST, log_density
from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.mechanisms.ledger import record, replay

CONFIDENCE = 0.95
LARGEST = 50.0  # the largest possible bound
# Decimals of a log likelihood ratio that are kept. The last bits distinguish 0 + noise from
# 1 + noise for NumPy's Laplace, which is a leak of floating-point numbers and not of the mechanism
# (secure noise, which releases use, does not have it).
DECIMALS = 9
COUNTED = 0.3  # share of the canaries with a positive weight: those with the most extreme scores
STEPS = 20  # weights are multiples of 1 / STEPS, so that the law of their sum is a short array
FULL = 0.9  # quantile of the positive weights from which a weight is 1


@dataclass(frozen=True)
class LowerBound:
    """A lower bound of epsilon with 95 % confidence."""

    epsilon: float
    trials: int  # the number of fits or canaries behind the bound


def likelihood_ratio_bound(
    fit: Callable[..., Any],
    left: Any,
    right: Any,
    *,
    delta: float,
    trials: int,
    rng: np.random.Generator,
) -> LowerBound:
    """A lower bound of epsilon from guesses about which of two neighbours was fitted.

    There is no bound for a fit with random batches, because the likelihood would be an average over
    all batches.

    Raises:
        ValueError: the fit releases something computed from a random batch, or by a mechanism whose
            density is unknown.
    """
    games = [(left, right), (right, left)] * (trials // 2)
    ratios = np.reshape([_log_ratio(fit, *pair, rng) for pair in games], (-1, 2))
    # log p_left / p_right of outputs of left (row 0) and right (row 1), (2, trials / 2)
    sides = np.stack([ratios[:, 0], -ratios[:, 1]])
    # one half chooses the threshold and the other half is counted: a bound by the threshold that
    # fits the counted outputs best would not have its confidence
    half = len(ratios) // 2
    best, epsilon = -1.0, 0.0
    for game in (sides, -sides[::-1]):  # guess left, guess right
        choosing, counted = game[:, :half], game[:, half:]
        for threshold in np.unique(choosing[0]):
            chosen = _shown(choosing, threshold, delta)
            if chosen > best:
                best, epsilon = chosen, _shown(counted, threshold, delta)
    return LowerBound(epsilon, 2 * len(ratios))


def _log_ratio(fit: Callable[..., Any], first: Any, second: Any, rng: np.random.Generator) -> float:
    """The log likelihood ratio, of `first` and of `second`, for the outputs of a fit of `first`."""
    seed = int(rng.integers(2**63))  # the same for both, so that all else that is drawn is equal
    with record() as tape:
        fit(first, rng=np.random.default_rng(seed))
    with replay(tape) as again:
        fit(second, rng=np.random.default_rng(seed))
    if any(entry.draw.sampling_rate < 1 for entry in tape):
        raise ValueError("the likelihood ratio of a fit with random batches cannot be computed")
    ratio = sum(
        log_density(one, one.output) - log_density(two, one.output)
        for one, two in zip(tape, again, strict=True)
    )
    return round(ratio, DECIMALS)


def _shown(ratios: Floats, threshold: float, delta: float) -> float:
    """The lower bound of epsilon from guesses by log likelihood ratios.

    `ratios` (2, n) are those of fits to the first and to the second neighbour. At or above
    `threshold` the guess is the first neighbour.
    """
    right, wrong = (ratios >= threshold).sum(axis=1).tolist()
    return clopper_pearson_epsilon(right, wrong, ratios.shape[1], delta)


def clopper_pearson_epsilon(right: int, wrong: int, count: int, delta: float) -> float:
    """A lower bound of epsilon with 95 % confidence, from numbers of right and wrong guesses.

    `right` are true positives and `wrong` are false positives, out of `count` trials each.
    """
    return epsilon_of(*clopper_pearson_rates(right, wrong, count, CONFIDENCE), delta)


def epsilon_of(p: float, q: float, delta: float) -> float:
    """The least epsilon of a mechanism with an event of these probabilities for two neighbours."""
    return max(0.0, float(np.log(max(p - delta, LEAST) / q)))


def clopper_pearson_rates(
    right: int, wrong: int, count: int, confidence: float
) -> tuple[float, float]:
    """A lower bound of the rate of `right`, and an upper bound of that of `wrong`, out of `count`.

    Both hold together with this `confidence`, which each may miss by half.
    """
    each = (1 + confidence) / 2
    highest = 1 - clopper_pearson_lower(count - wrong, count, each)
    return clopper_pearson_lower(right, count, each), highest


def clopper_pearson_lower(count: int, total: int, confidence: float) -> float:
    """A lower bound of a probability, from `count` occurrences in `total` trials."""
    return float(special.betaincinv(count, total - count + 1, 1 - confidence)) if count else 0.0


def one_run_bound(included: Mask, scores: Floats, *, guesses: int, delta: float) -> LowerBound:
    """A lower bound of epsilon from guesses about which canary records were in the data.

    `included` (m,) are the coins of the canaries, and `scores` (m,) their scores under the model.
    Of the `guesses` canaries that are guessed, those with the highest scores are guessed as
    included, and those with the lowest as excluded.
    """
    order, m = np.argsort(scores, kind="stable"), len(included)  # stable: the same on every machine
    out, into = order[: guesses // 2], order[m - (guesses - guesses // 2) :]
    correct = int((~included[out]).sum() + included[into].sum())
    return _refuted(lambda epsilon: one_run_p_value(correct, guesses, m, epsilon, delta), m)


def one_run_p_value(
    correct: int, guesses: int, canaries: int, epsilon: float, delta: float
) -> float:
    """An upper bound of the probability of `correct` or more correct guesses about canary records.

    The bound holds if the training is (epsilon, delta)-DP for one canary. `guesses` of the canaries
    are guessed. For delta = 0, the number of correct guesses is at most binomial with probability
    e^epsilon / (e^epsilon + 1). For delta > 0, the bound is larger by 2 canaries delta max_i P(v -
    i <= binomial < v) / i, where v is `correct`.
    """
    probability = 1 / (1 + np.exp(-epsilon))
    counts = np.arange(1, correct + 1)  # i in the formula
    chance = float(stats.binom.sf(correct - 1, guesses, probability))
    within = stats.binom.sf(correct - 1 - counts, guesses, probability) - chance
    return min(1.0, chance + 2 * canaries * delta * float((within / counts).max(initial=0.0)))


def score_sum_bound(included: Mask, scores: Floats, *, delta: float) -> LowerBound:
    """A lower bound of epsilon from the sum of the scores; arguments as in `one_run_bound`."""
    guesses, weights = guesses_and_weights(scores)
    right = int(weights[guesses == included].sum())
    return _refuted(
        lambda epsilon: score_sum_p_value(right, weights, epsilon, delta), len(included)
    )


def guesses_and_weights(scores: Floats) -> tuple[Mask, Ints]:
    """A guess for each canary, and its weight as a number of steps from 0 to STEPS, both (m,).

    The guess is whether the score is above the median. The weight grows with the distance from the
    median, from the distance that a share COUNTED of the canaries exceeds.
    """
    away = scores - np.median(scores)  # half of the coins are heads
    distance = np.abs(away)
    start = np.quantile(distance, 1 - COUNTED)
    excess = np.maximum(distance - start, 0.0)
    if not excess.any():
        return away > 0, STEPS * (distance >= start).astype(int)
    full = np.quantile(excess[excess > 0], FULL)
    return away > 0, np.round(STEPS * np.minimum(excess / full, 1)).astype(int)


def score_sum_p_value(right: int, weights: Ints, epsilon: float, delta: float) -> float:
    """An upper bound of the probability that the right guesses weigh `right` steps or more.

    The bound holds if the training is (epsilon, delta)-DP for one canary. `weights` are those of
    all canaries, (m,), in steps.
    """
    law = _law_of_sum(weights, 1 / (1 + np.exp(-epsilon)))
    return min(1.0, float(law[right:].sum()) + len(weights) * delta)


def least_found(p_value: Callable[[int], float], most: int) -> float:
    """The least privacy loss that is refuted in half of the audits by guesses about canaries.

    Every guess is taken to be right as often as the loss allows. Infinite if nothing is refuted.

    Args:
        p_value: The p-value of the claimed epsilon if so many guesses are right, or weigh so much.
        most: The number of the guesses, or the sum of their weights.
    """
    least = bisect_left(range(most), True, key=lambda right: p_value(right) <= 1 - CONFIDENCE)
    return float(special.logit(least / most)) if least < most else inf


def _law_of_sum(weights: Ints, p: float) -> Floats:
    """The probabilities of 0, 1, ... for the sum of `weights` times coins that are 1 with `p`."""
    law, top = np.zeros(int(weights.sum()) + 1), 0
    law[0] = 1.0
    # the smallest weights first: the part of the array that is not 0 stays short
    for weight in np.sort(weights[weights > 0]).tolist():
        before = law[: top + 1].copy()  # the two updates below overlap
        top += weight
        law[: top + 1] *= 1 - p
        law[weight : top + 1] += p * before
    return law


def _refuted(p_value: Callable[[float], float], canaries: int) -> LowerBound:
    """The largest epsilon that a test refutes, whose p-value grows with epsilon."""

    def excess(epsilon: float) -> float:
        return p_value(epsilon) - (1 - CONFIDENCE)

    if excess(0.0) > 0:
        return LowerBound(0.0, canaries)
    if excess(LARGEST) < 0:
        return LowerBound(LARGEST, canaries)
    return LowerBound(float(brentq(excess, 0.0, LARGEST)), canaries)
