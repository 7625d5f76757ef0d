"""How far one person's change of group moves rates by group and label, and sums of features over
the groups.

Neighbours: one protected attribute, of at least two groups. Features, labels and the counts that
rates are divided by are public. A person of label y who changes from group a to group b is taken
out of the sums of (a, y) and enters those of (b, y).

Rates. The rate of a group and label moves by at most 1 / count in the group left, and in the group
entered. Differences are taken to group 0, whose rate is in all of them: a move of it counts (groups
- 1) times, that of another group once. The L1 move is at most the sum of the two largest of these,
at the label where that is largest.

Costs. Decision 1 costs a person of (a, y) the amount cost_ay. The sum of cost_i x_i moves by
(cost_by - cost_ay) x_i, at most the spread of the costs over the groups times the largest |x_i|_1
of that label. Where X also has an indicator of each group but the first, the sum's entry of a group
is the total of its members' costs: the person's cost leaves one entry and another enters the other,
at most the sum of the two largest |cost_ay|.

Features. The sums of the features of the groups move by x_i in two of them, at most twice the
largest |x_i|_1.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats


def l1_rate_gaps(counts: Floats, labels: int) -> float:
    """L1 sensitivity of the rates less those of group 0, of the first `labels` labels, over
    `counts` (groups, 2).
    """
    moves = np.vstack([(len(counts) - 1) / counts[:1], 1 / counts[1:]])[
        :, :labels
    ]  # (groups, labels)
    return float(_two_largest(moves).max())


def l1_cost_sum(cost: Floats, longest: Floats) -> float:
    """L1 sensitivity of sum cost_i x_i, for costs (groups, 2) and the largest |x_i|_1 of each label
    (2,).
    """
    return float((np.ptp(cost, axis=0) * longest).max())


def l1_cost_totals(cost: Floats) -> float:
    """L1 sensitivity of the total cost of each group's members, for costs (groups, 2)."""
    return float(_two_largest(np.abs(cost)).max())


def l1_feature_sums(longest: Floats) -> float:
    """L1 sensitivity of the sums of the features of each group, for the largest |x_i|_1 of each
    label (2,).
    """
    return 2 * float(longest.max())


def _two_largest(moves: Floats) -> Floats:
    """The sum of the two largest of the groups, of each label."""
    return np.asarray(np.sort(moves, axis=0)[-2:].sum(axis=0))
