"""Sensitivity of rates by group and label, and of the costs of rules, to one replaced record.

Neighbours: replace-one. The counts that rates are divided by are public, and so are the costs of a
decision for each group and label. A record of group a and label y that is replaced by one of group
b and label z leaves the cell (a, y) and enters the cell (b, z).

Rates. With decision 1, the record lowers the rate of the cell that it leaves by 1 / count, and the
new record raises that of the cell that it enters by 1 / count. If both cells are the same, the rate
changes by at most 1 / count. The released differences are those from group 0. The rate of group 0
is in all differences, and its change counts (groups - 1) times. The L1 change is at most the sum of
the two largest such changes of different cells.

Costs. The cost of a rule is the sum over the records of the cost of its decision: for decision 0 it
is 1 if the label is 1, and else 0; for decision 1 it is 1 if the label is 0, plus a number for the
group and label. One record replaces one such cost by another one. The change is at most the
largest minus the smallest of these costs.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def l1_record_gaps(counts: Floats, labels: int) -> float:
    """The L1 sensitivity of the differences between the rates of each group and of group 0.

    `counts` (groups, 2) has the number of records of each group and label. `labels` is 1 if only
    the rates of label 0 are compared, and 2 for both labels.
    """
    moves = np.vstack([(len(counts) - 1) / counts[:1], 1 / counts[1:]])[:, :labels]
    return float(np.sort(moves, axis=None)[-2:].sum())


def rule_cost(extra: Floats) -> float:
    """The sensitivity of the cost of each rule; `extra` (groups, 2) is added to decision 1."""
    costs = np.concatenate([[0.0, 1.0], 1 + extra[:, 0], extra[:, 1]])
    return float(np.ptp(costs))
