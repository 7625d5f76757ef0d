"""Fair scores: noisy histograms of groups, and the cheapest moves of bins that make groups alike.

Nothing here draws noise or reads records: the functions get a histogram that is already released.

Source: xian2024 (Xian, Li, Kamath and Zhao, ICML 2024), with equal costs (i - j)^2 of a move from
bin i to bin j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_array, eye_array, hstack, kron, vstack

import dpfair_cli.plugin as dp

SMALLEST_WEIGHT = 1e-6  # of a group whose noisy share is smaller


@dataclass(frozen=True, eq=False)
class GroupDistributions:
    """The share of each group, and the distribution of its scores over the bins."""

    weights: dp.Floats  # the share of each group, (groups,)
    shares: dp.Floats  # the distribution of each group's scores, (groups, bins)


def sup_norm_isotonic(values: dp.Floats) -> dp.Floats:
    """A nondecreasing sequence that is nearest to `values` in the largest absolute difference.

    It is the mean of the running maximum and of the running minimum from the right.

    >>> sup_norm_isotonic(np.array([0.0, 3.0, 1.0]))
    array([0., 2., 2.])
    """
    highest = np.maximum.accumulate(values)
    lowest = np.minimum.accumulate(values[::-1])[::-1]
    return np.asarray((highest + lowest) / 2)


def distributions(histogram: dp.Floats) -> GroupDistributions:
    """The distributions that a noisy histogram, (groups, bins), stands for.

    Negative cells are allowed: the cumulative sums are made monotone and clipped to [0, 1].
    """
    weights = np.maximum(histogram.sum(axis=1), SMALLEST_WEIGHT)
    cumulative = np.cumsum(histogram / weights[:, None], axis=1)
    monotone = np.clip(np.apply_along_axis(sup_norm_isotonic, 1, cumulative), 0, 1)
    monotone[:, -1] = 1
    return GroupDistributions(weights, np.diff(monotone, axis=1, prepend=0))


def cheapest_moves(groups: GroupDistributions, alpha: float) -> dp.Floats:
    """The chance of each new bin, given the group and the old bin: (groups, bins, bins).

    The moves have the least mean squared distance (in bins) such that each group's new cumulative
    distribution is within alpha / 2 of a common one. A bin without mass maps to itself.

    Args:
        groups: the weights and distributions of the groups.
        alpha: the largest Kolmogorov-Smirnov distance between two groups that is allowed.

    Raises:
        ValueError: the linear program has no solution.
    """
    count, bins = groups.shares.shape
    cost = np.subtract.outer(np.arange(bins), np.arange(bins)) ** 2.0
    objective = np.concatenate([np.kron(groups.weights, cost.ravel()), np.zeros(bins)])
    solution = linprog(objective, **_constraints(groups, alpha), bounds=(0, None), method="highs")
    if solution.x is None:
        raise ValueError(
            f"the linear program of the fair scores has no solution: {solution.message}"
        )
    return _normalised(np.maximum(solution.x[:-bins].reshape(count, bins, bins), 0))


def _constraints(groups: GroupDistributions, alpha: float) -> dict[str, object]:
    """The margins of the couplings, and the bound on the distance from the common distribution."""
    count, bins = groups.shares.shape
    row_sums = kron(eye_array(bins), np.ones((1, bins)))
    column_sums = kron(np.ones((1, bins)), eye_array(bins))
    lower = np.tril(np.ones((bins, bins)))
    first = block_diag([row_sums] * count)
    second = block_diag([lower @ column_sums] * count)
    centre = np.tile(lower, (count, 1))
    gap = hstack([second, csr_array(-centre)])
    return {
        "A_eq": hstack([first, csr_array((count * bins, bins))]).tocsr(),
        "b_eq": groups.shares.ravel(),
        "A_ub": vstack([gap, -gap]).tocsr(),
        "b_ub": np.full(2 * count * bins, alpha / 2),
    }


def _normalised(couplings: dp.Floats) -> dp.Floats:
    """Each row divided by its sum; a row without mass becomes the move to the same bin."""
    sums = couplings.sum(axis=2, keepdims=True)
    same = np.broadcast_to(np.eye(couplings.shape[2]), couplings.shape)
    return np.where(sums > 0, couplings / np.where(sums > 0, sums, 1), same)
