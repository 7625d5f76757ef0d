"""Noisy maxima of scores that neighbours change by at most 1 each, sound and broken.

The broken ones have the fault of OpenDP 0.15.1 (https://github.com/opendp/opendp/issues/2911): a
choice by permute-and-flip costs up to epsilon^2 / 2 in zero-concentrated DP. The epsilon^2 / 8 that
were claimed are those of the exponential mechanism.
"""

from math import exp

import numpy as np

EPSILON = 2.0
"""The epsilon of a choice with scale 1: a score may rise by 1 while another one falls by 1."""
PAIRS = [([0, 0], [1, -1]), ([0, 0, 0], [1, 1, -1]), ([0, -1, -1], [1, -2, -2])]
"""Scores of neighbours."""
CLAIMED_RHO, TRUE_RHO = EPSILON**2 / 8, EPSILON**2 / 2


def by_gumbel_noise(scores, rng):
    return int(np.argmax(np.array(scores) + rng.gumbel(size=len(scores))))


def by_exponential_noise(scores, rng):
    return int(np.argmax(np.array(scores) + rng.exponential(size=len(scores))))


def by_permute_and_flip(scores, rng):
    for candidate in rng.permutation(len(scores)):
        if rng.random() <= exp(scores[candidate] - max(scores)):
            return int(candidate)
    raise AssertionError("the largest score is accepted with probability 1")


def by_permute_and_flip_with_a_quarter_of_the_noise(scores, rng):
    return by_permute_and_flip([4 * score for score in scores], rng)


def by_exponential_noise_with_a_quarter_of_the_scale(scores, rng):
    return int(np.argmax(np.array(scores) + 0.25 * rng.exponential(size=len(scores))))
