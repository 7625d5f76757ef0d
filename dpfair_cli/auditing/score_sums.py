"""A lower bound of epsilon from one training, by the sum of the scores of canaries.

A coin decided for each canary whether it was included. The output of the training gives each canary
a guess and a weight from 0 to 1: the larger the score, the larger the weight. The statistic is the
sum of the weights of the right guesses. Equal weights give the bound that counts right guesses
(Steinke, Nasr and Jagielski 2023, whose Algorithm 1 chooses the canaries).

Why the bound is valid. Let the training be (epsilon, 0)-DP for one canary, and p = e^epsilon /
(e^epsilon + 1). Given the output and all coins before coin i, the later coins are fair, so that the
density of the output for one side of coin i is at most e^epsilon times that for the other side. By
Bayes' rule, every guess that the output gives for coin i is right with probability at most p.
Adding one coin after another, the statistic is at most, in distribution, the sum of weight times
a coin that is 1 with probability p. The weights depend on the output alone, and the law of this sum
is computed exactly. Let the training now be (epsilon, delta)-DP. The laws of the output for both
sides of a coin are mixtures: with probability 1 - delta of two laws that are (epsilon, 0)-close,
else of any two (Kairouz, Oh and Viswanath 2015). If no coin falls into the second case, which has
probability at least 1 - canaries delta, the argument above holds. A p-value is therefore the tail
of the sum plus canaries times delta.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from dpfair_cli.auditing.lower_bounds import CONFIDENCE, LARGEST, LowerBound
from dpfair_cli.contracts.arrays import Floats, Ints, Mask

COUNTED = 0.3  # share of the canaries with a positive weight: those with the most extreme scores
STEPS = 20  # weights are multiples of 1 / STEPS
FULL = 0.9  # quantile of the positive weights from which a weight is 1


def score_sum_bound(included: Mask, scores: Floats, *, delta: float) -> LowerBound:
    """A lower bound of epsilon from the sum of the scores of canary records.

    Args:
        included: The coins of the canaries, (m,).
        scores: The score of each canary under the model, (m,).
        delta: The delta of the guarantee.
    """
    guesses, weights = guesses_and_weights(scores)
    right = int(weights[guesses == included].sum())

    def chance(epsilon: float) -> float:
        return score_sum_p_value(right, weights, epsilon, delta) - (1 - CONFIDENCE)

    if chance(0.0) > 0:
        return LowerBound(0.0, len(included))
    if chance(LARGEST) < 0:
        return LowerBound(LARGEST, len(included))
    return LowerBound(float(brentq(chance, 0.0, LARGEST, xtol=1e-6)), len(included))


def guesses_and_weights(scores: Floats) -> tuple[Mask, Ints]:
    """A guess for each canary, and its weight as a number of steps from 0 to STEPS, both (m,).

    The guess is whether the score is above the median. The weight grows with the distance from the
    median, from the distance that a share COUNTED of the canaries exceeds.
    """
    away = scores - np.median(scores)
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


def _law_of_sum(weights: Ints, p: float) -> Floats:
    """The probabilities of 0, 1, ... for the sum of `weights` times coins that are 1 with `p`."""
    law, top = np.zeros(int(weights.sum()) + 1), 0
    law[0] = 1.0
    for weight in np.sort(weights[weights > 0]).tolist():
        before = law[: top + 1].copy()
        top += weight
        law[: top + 1] *= 1 - p
        law[weight : top + 1] += p * before
    return law
