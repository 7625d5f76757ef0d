"""The game of a learner and an auditor whose equilibrium is the best fair rule.

Source: Agarwal et al. 2018. The learner pays for errors and for unfairness. The price of unfairness
are the weights (dual variables) that the auditor gives to the fairness constraints. The auditor
raises the weight of a violated constraint. Constraint (a, y) compares the rate of decision 1 of
group a and label y with the rate of group 0 and label y. `gap` (groups - 1, labels) has the
differences of these rates, and each difference has two constraints, with the signs + and -. Labels
are 0 and 1 for equalized odds, and 0 for equal false positive rates. The sensitivities of the
released sums and rates are proved in mechanisms/sensitivity/rates.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class GroupedRecords:
    """The records by group and label, with the sums that every round of the game needs."""

    features: Floats  # the features of each record after a leading 1, (n, d)
    cell: Ints  # 2 * group + label of each record, (n,)
    counts: Floats  # the number of records of each cell, (groups, 2)
    sums: Floats  # the sum of the features in each cell, (groups, 2, d)
    # the sum of the features for each label, (2, d), computed without reading the groups
    label_sums: Floats
    square: Floats  # the product of the transposed features with the features, (d, d)
    longest: Floats  # the largest |features_i|_1 of each label, (2,)


@once_per_records
def grouped(records: Records) -> GroupedRecords:
    """The records by group and label, cached because every round and every fit uses them."""
    groups = len(records.domain.groups)
    features = np.hstack([np.ones((len(records), 1)), records.X])
    cell = 2 * records.protected + records.y
    counts = np.bincount(cell, minlength=2 * groups).reshape(groups, 2).astype(float)
    sums = np.stack([features[cell == k].sum(axis=0) for k in range(2 * groups)])
    sums = sums.reshape(groups, 2, -1)
    lengths = np.abs(features).sum(axis=1)
    longest = np.array([lengths[records.y == label].max(initial=0.0) for label in (0, 1)])
    label_sums = np.stack([features[records.y == label].sum(axis=0) for label in (0, 1)])
    return GroupedRecords(features, cell, counts, sums, label_sums, features.T @ features, longest)


def auditor_weights(theta: Floats, bound: float) -> Floats:
    """The dual weights of the fairness constraints, bound exp(theta) / (1 + sum exp(theta)).

    This is the rule by which the auditor, the opponent of a learner of fair rules, sets the price
    of unfairness: an exponentiated gradient.
    """
    # the largest exponent first, so that no exponential overflows
    top = max(float(theta.max()), 0.0)
    weights = np.exp(theta - top)
    return np.asarray(bound * weights / (np.exp(-top) + weights.sum()))


def unfairness_costs(weights: Floats, counts: Floats, total: int) -> Floats:
    """The cost that unfairness adds to decision 1 in each group and label, (groups, 2).

    Args:
        weights: the weights of the constraints, (2 signs, groups - 1, labels).
        counts: the public counts by which rates are divided, (groups, 2).
        total: the number of records.
    """
    # both signs of a constraint move the same rates: only their difference counts
    net = np.zeros((len(counts) - 1, 2))
    net[:, : weights.shape[2]] = weights[0] - weights[1]
    added = np.vstack([-net.sum(axis=0), net])
    extra: Floats = total * added / counts
    return extra


def violations(gap: Floats, slack: float) -> Floats:
    """How far each constraint is violated, gap - slack and -gap - slack, (2 signs, *gap.shape)."""
    return np.stack([gap, -gap]) - slack


def rate_gaps(decision: Floats, cell: Ints, counts: Floats, labels: int) -> Floats:
    """The rates of decision 1 of each group minus those of group 0, (groups - 1, labels).

    Args:
        decision: the probability of decision 1 of each record, (n,).
        cell: 2 * group + label of each record, (n,).
        counts: the public counts by which rates are divided, (groups, 2).
        labels: the number of labels that are compared.
    """
    ones = np.bincount(cell, weights=decision, minlength=counts.size).reshape(counts.shape)
    rates = (ones / counts)[:, :labels]
    gaps: Floats = rates[1:] - rates[0]
    return gaps
