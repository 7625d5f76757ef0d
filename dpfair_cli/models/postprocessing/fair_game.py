"""The game between a learner and an auditor whose equilibrium is the best fair rule (Agarwal et al. 2018).

The learner pays for errors and, at prices the auditor sets, for unfairness; the auditor raises the price of what is
violated. Constraint (a, y) compares the rate of decision 1 of group a and label y with that of group 0; `gap`
(groups - 1, labels) is that difference, and every constraint has the signs + and -. Labels are 0 and 1 for equalized
odds, 0 alone for equal false positive rates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.people import Records


@dataclass(frozen=True, eq=False)
class Cells:
    """The records by group and label: the cell of each (n,), people (groups, 2), feature sums (groups, 2, d).

    `label_sums` (2, d) do not pass by the groups, so that not even their rounding depends on them.
    """

    features: Floats  # (n, d), a one first
    cell: Ints  # (n,)
    people: Floats
    sums: Floats
    label_sums: Floats
    square: Floats  # features'features, (d, d)
    longest: Floats  # largest |features_i|_1 of each label, (2,)


@once_per_records
def cells(records: Records) -> Cells:
    """What every round needs of the records; neither prices nor noise touch it."""
    groups = len(records.domain.groups)
    features = np.hstack([np.ones((len(records), 1)), records.X])
    cell = 2 * records.protected + records.y
    people = np.bincount(cell, minlength=2 * groups).reshape(groups, 2).astype(float)
    sums = np.stack([features[cell == k].sum(axis=0) for k in range(2 * groups)]).reshape(groups, 2, -1)
    lengths = np.abs(features).sum(axis=1)
    longest = np.array([lengths[records.y == label].max(initial=0.0) for label in (0, 1)])
    label_sums = np.stack([features[records.y == label].sum(axis=0) for label in (0, 1)])
    return Cells(features, cell, people, sums, label_sums, features.T @ features, longest)


def prices(theta: Floats, bound: float) -> Floats:
    """The auditor's exponentiated gradient: bound exp(theta) / (1 + sum exp(theta)), of the shape of theta."""
    top = max(float(theta.max()), 0.0)
    weights = np.exp(theta - top)
    played: Floats = bound * weights / (np.exp(-top) + weights.sum())
    return played


def surcharges(price: Floats, people: Floats, total: int) -> Floats:
    """What unfairness adds to the cost of deciding 1 in each group and label, (groups, 2).

    `price` is (2 signs, groups - 1, labels), `people` the public counts (groups, 2) that rates are divided by.
    """
    net = np.zeros((len(people) - 1, 2))
    net[:, : price.shape[2]] = price[0] - price[1]
    added = np.vstack([-net.sum(axis=0), net])
    extra: Floats = total * added / people
    return extra


def violations(gap: Floats, slack: float) -> Floats:
    """What exceeds the slack, gap - slack and -gap - slack, (2 signs, groups - 1, labels)."""
    return np.stack([gap, -gap]) - slack


def rate_gaps(decision: Floats, cell: Ints, people: Floats, labels: int) -> Floats:
    """Rates of decision 1 less those of group 0, (groups - 1, labels), divided by the public counts `people`."""
    ones = np.bincount(cell, weights=decision, minlength=people.size).reshape(people.shape)
    rates = (ones / people)[:, :labels]
    gaps: Floats = rates[1:] - rates[0]
    return gaps


def gap_sensitivity(people: Floats, labels: int) -> float:
    """How far `rate_gaps` moves in L1 when one person changes group: of two groups, each label's least counts."""
    moves = np.vstack([(len(people) - 1) / people[:1], 1 / people[1:]])[:, :labels]  # (groups, labels)
    largest = np.sort(moves, axis=0)[-2:].sum(axis=0)
    return float(largest.max())


def price_spread(extra: Floats, longest: Floats) -> float:
    """How far sum_i cost_i features_i moves in L1 when one person changes group."""
    return float((np.ptp(extra, axis=0) * longest).max())
