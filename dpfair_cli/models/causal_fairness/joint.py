"""The joint distribution of p binary variables: an array of probabilities with shape (2,) * p."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from dpfair_cli.contracts.arrays import Floats, Ints


def empirical_joint(codes: Ints) -> Floats:
    """The share of the records in each cell, (2,) * p, for their codes 0 and 1 (n, p)."""
    p = codes.shape[1]
    return np.asarray(np.bincount(cells(codes), minlength=2**p).reshape((2,) * p) / len(codes))


def distance_by_chance(joint: Floats, n: int) -> float:
    """The mean total variation distance between a joint distribution and n records drawn from it.

    Source: de Moivre's mean deviation, E|X - n p| = 2 m (1 - p) P(X = m) for a binomial X, where m
    is the smallest integer above n p.
    """
    p = joint[(joint > 0) & (joint < 1)]
    m = np.floor(n * p) + 1
    log_choices = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1)
    share = np.exp(log_choices + xlogy(m, p) + xlog1py(n - m, -p))
    return float((m * (1 - p) * share).sum() / n)


def cells(codes: Ints) -> Ints:
    """The index of the cell of each record, (n,), for the codes 0 and 1 (n, p) of the records.

    The index is that in the flattened joint distribution.
    """
    return np.asarray(codes @ (1 << np.arange(codes.shape[1])[::-1]))


def all_codes(p: int) -> Ints:
    """The codes 0 and 1 of p variables in every cell, (2 ** p, p).

    The cells are in the order of the flattened joint distribution.
    """
    return np.indices((2,) * p).reshape(p, 2**p).T


def marginal(joint: Floats, kept: tuple[int, ...]) -> Floats:
    """The joint distribution of the variables `kept`.

    `joint` is the distribution of all variables. The axes of the variables that are not kept have
    length 1 in the result.
    """
    others = tuple(j for j in range(joint.ndim) if j not in kept)
    return np.asarray(joint.sum(axis=others, keepdims=True))


def share_given(joint: Floats, j: int, given: tuple[int, ...], *, unseen: float) -> Floats:
    """The probability P(v_j = 1 | given) for each combination of values of the variables `given`.

    The axis of a given variable has length 2, the axes of other variables have length 1. The result
    is `unseen` for given values that never occur together.
    """
    together = marginal(joint, tuple(sorted({*given, j})))
    whole = together.sum(axis=j, keepdims=True)
    ones = together.take([1], axis=j)
    return np.asarray(np.divide(ones, whole, out=np.full(whole.shape, unseen), where=whole > 0))
