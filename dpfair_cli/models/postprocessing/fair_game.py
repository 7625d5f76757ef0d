"""The game between a learner and an auditor whose equilibrium is the best fair rule (Agarwal et al.
2018).

The learner pays for errors and, by the weights that the auditor gives to the constraints (its dual
variables), for unfairness; the auditor raises the weight of what is violated. Constraint (a, y)
compares the rate of decision 1 of group a and label y with that of group 0; `gap` (groups - 1,
labels) is that difference, and every constraint has the signs + and -. Labels are 0 and 1 for
equalized odds, 0 alone for equal false positive rates. How far one person moves what is released is
proved in mechanisms/sensitivity/rates.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True, eq=False)
class GroupedRecords:
    """The records by group and label: the cell of each (n,), counts (groups, 2), feature sums
    (groups, 2, d).

    `label_sums` (2, d) do not pass by the groups, so that not even their rounding depends on them.
    """

    features: Floats  # (n, d), a one first
    cell: Ints  # (n,)
    counts: Floats
    sums: Floats
    label_sums: Floats
    square: Floats  # features'features, (d, d)
    longest: Floats  # largest |features_i|_1 of each label, (2,)


@once_per_records
def grouped(records: Records) -> GroupedRecords:
    """What every round needs of the records; neither the auditor nor noise changes it."""
    groups = len(records.domain.groups)
    features = np.hstack([np.ones((len(records), 1)), records.X])
    cell = 2 * records.protected + records.y
    counts = np.bincount(cell, minlength=2 * groups).reshape(groups, 2).astype(float)
    sums = np.stack([features[cell == k].sum(axis=0) for k in range(2 * groups)]).reshape(
        groups, 2, -1
    )
    lengths = np.abs(features).sum(axis=1)
    longest = np.array([lengths[records.y == label].max(initial=0.0) for label in (0, 1)])
    label_sums = np.stack([features[records.y == label].sum(axis=0) for label in (0, 1)])
    return GroupedRecords(features, cell, counts, sums, label_sums, features.T @ features, longest)


def auditor_weights(theta: Floats, bound: float) -> Floats:
    """The auditor's weight of each constraint, by exponentiated gradient: bound exp(theta) / (1 +
    sum exp(theta)).
    """
    top = max(float(theta.max()), 0.0)
    weights = np.exp(theta - top)
    return np.asarray(bound * weights / (np.exp(-top) + weights.sum()))


def unfairness_costs(weights: Floats, counts: Floats, total: int) -> Floats:
    """What unfairness adds to the cost of deciding 1 in each group and label, (groups, 2).

    `weights` is (2 signs, groups - 1, labels), `counts` the public counts (groups, 2) that rates
    are divided by.
    """
    net = np.zeros((len(counts) - 1, 2))
    net[:, : weights.shape[2]] = weights[0] - weights[1]
    added = np.vstack([-net.sum(axis=0), net])
    extra: Floats = total * added / counts
    return extra


def violations(gap: Floats, slack: float) -> Floats:
    """What exceeds the slack, gap - slack and -gap - slack, (2 signs, groups - 1, labels)."""
    return np.stack([gap, -gap]) - slack


def rate_gaps(decision: Floats, cell: Ints, counts: Floats, labels: int) -> Floats:
    """Rates of decision 1 less those of group 0, (groups - 1, labels), divided by the public
    `counts`.
    """
    ones = np.bincount(cell, weights=decision, minlength=counts.size).reshape(counts.shape)
    rates = (ones / counts)[:, :labels]
    gaps: Floats = rates[1:] - rates[0]
    return gaps
