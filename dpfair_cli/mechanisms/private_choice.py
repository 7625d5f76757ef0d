"""The best of a random number of tries: a private choice among private candidates.

A try draws a candidate and its score by an epsilon-differentially private algorithm. The number of
tries is geometric and secret, and only the try with the largest score is returned. The result is
3 epsilon-differentially private, whatever the mean number of tries is.

Proof. After each try, the algorithm stops with probability g = 1 / mean_tries. The number of tries
K therefore has P(K = k) = g (1 - g)^(k-1). Let q be the probability of an output y of one try, with
the score s. Let a be the probability that the score of a try is at most s, and b that it is below
s. Of several tries with the largest score, the first is returned. This is output y with probability

    P(y) = sum_k g (1 - g)^(k-1) (a^k - b^k) q / (a - b).

The sum of the geometric series sum_k g (1 - g)^(k-1) x^k is g x / (1 - (1 - g) x). Its difference
at a and b is g (a - b) / ((1 - (1 - g) a) (1 - (1 - g) b)), and therefore

    P(y) = g q / (A B), with A = g a + (1 - a) and B = g b + (1 - b).

1 - a is the probability of a larger score than s, and 1 - b that of s or a larger one. A and B are
thus sums of probabilities of outputs of one try with positive factors. For a neighbour, q, A and B
each change by a factor between e^-epsilon and e^epsilon, and P(y) at most by e^(3 epsilon). A
computer has finitely many outputs, so that this covers all of them. A try that fails with an error
ends the choice: the error is an output of one try that counts as the largest score.

The number of tries is not released. Together with it, the output would not be 3 epsilon-private: of
k tries, the choice of the best alone can cost k epsilon. For the same reason the tries must not
share noise.

With a delta. If a try is (epsilon, delta)-private, the choice is (3 epsilon, mean_tries delta)-
private. For two neighbours, the law of a try is (1 - delta) P + delta E and (1 - delta) P' + delta
E', where P and P' are epsilon-indistinguishable (Kairouz, Oh and Viswanath 2015, the mechanism that
dominates all others in the proof of Theorem 3.3: E and E' follow from the output that it has with
the probability delta for one of the neighbours only). Let N be the event that no try is drawn from
E, or E'. Its probability, the mean of (1 - delta)^K, is the same for both. Given N, the tries are
drawn from P or P', and K is geometric again, with (1 - g) (1 - delta) in place of 1 - g: the choice
is 3 epsilon-private by the proof above. The complement of N has the probability 1 - mean of (1 -
delta)^K, which is at most the mean of K delta, mean_tries delta.

Source: Liu and Talwar 2019 (random stopping); Papernot and Steinke 2022 (the truncated negative
binomial distribution, here with eta = 1, the geometric one).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

FACTOR = 3
"""The epsilon of the choice, divided by the epsilon of one try."""

Candidate = TypeVar("Candidate")


def best_of_random_tries(
    attempt: Callable[[], tuple[float, Candidate]], *, mean_tries: int, rng: np.random.Generator
) -> tuple[float, Candidate]:
    """The score and the candidate of the try with the largest score.

    The result is FACTOR epsilon-differentially private if `attempt` is epsilon-differentially
    private. A delta of `attempt` is multiplied by `mean_tries`.

    `attempt` returns a noisy score and a candidate; each call draws noise of its own.

    Raises:
        ValueError: `mean_tries` is not positive, or a score is NaN.

    >>> rng = np.random.default_rng(0)
    >>> best_of_random_tries(lambda: (1.0, "only one"), mean_tries=1, rng=rng)
    (1.0, 'only one')
    """
    if mean_tries < 1:
        raise ValueError(f"mean_tries must be positive, got {mean_tries}")
    best = _comparable(attempt())
    while rng.integers(mean_tries) > 0:  # goes on with probability 1 - 1 / mean_tries
        new = _comparable(attempt())
        # `>`: of several with the largest score the first is returned, as the proof says
        if new[0] > best[0]:
            best = new
    return best


def _comparable(found: tuple[float, Candidate]) -> tuple[float, Candidate]:
    """The same score and candidate; refuses NaN, which no other score is above or below."""
    if np.isnan(found[0]):
        raise ValueError("the score of a try must be a number, got NaN")
    return found
