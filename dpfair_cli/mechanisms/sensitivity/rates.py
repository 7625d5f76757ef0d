"""Sensitivity of rates by group and label, and of sums over groups, to one protected attribute.

Neighbours: the protected attribute of one record, with at least two groups. Features, labels and
the counts that rates are divided by are public. A record of label y that changes from group a to
group b leaves the sums of (a, y) and enters those of (b, y).

Rates. The rate of a group and label changes by at most 1 / count in the group that the record
leaves and in the group that the record enters. The released differences are those from group 0. The
rate of group 0 is in all differences, and its change counts (groups - 1) times. The rate of another
group is in one difference. The L1 change is at most the sum of the two largest such changes, for
the label for which this sum is largest.

Costs. Decision 1 costs cost_ay for a record of (a, y). The sum of cost_i x_i changes by
(cost_by - cost_ay) x_i. This change is at most the range of the costs over the groups times the
largest |x_i|_1 of a record with this label. If X also has an indicator of each group but the first,
the entry of the sum for a group is the total cost of the group's members. A cost is subtracted from
one entry, and another cost is added to another entry. The change is at most the sum of the two
largest |cost_ay|.

Rounding. If the costs of a label are nearly equal in all groups, the sum of cost_i x_i would hardly
move in real numbers. But the sum of n rounded products moves by up to 2^-51 n times the largest
|cost_ay| times the largest |x_i|_1. The sensitivity is therefore at least 2^20 times as large as
this bound, so that noise on a grid hides the rounding (mechanisms/noise.py).

Features. The sums of the features by group change by x_i in two groups, which is at most twice the
largest |x_i|_1.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats

ROUNDING = 2.0**-31  # 2^20 times the largest rounding error of a term of a sum


def l1_rate_gaps(counts: Floats, labels: int) -> float:
    """The L1 sensitivity of the differences between the rates of each group and of group 0.

    `counts` (groups, 2) has the number of records of each group and label. `labels` is 1 if only
    the rates of label 0 are compared, and 2 for both labels.
    """
    moves = np.vstack([(len(counts) - 1) / counts[:1], 1 / counts[1:]])  # (groups, 2)
    return float(_two_largest(moves[:, :labels]).max())


def l1_cost_sum(cost: Floats, longest: Floats) -> float:
    """The L1 sensitivity of the sum of cost_i x_i over the records i with features x_i.

    `cost` (groups, 2) is that of decision 1 for each group and label, and `longest` (2,) the
    largest |x_i|_1 of each label.
    """
    return float((np.ptp(cost, axis=0) * longest).max())


def least_l1_of_sum(largest_cost: float, longest: Floats, records: int) -> float:
    """The least L1 sensitivity for which noise on a grid hides the rounding of such a sum.

    `longest` (2,) is the largest |x_i|_1 of each label.
    """
    return float(records * ROUNDING * largest_cost * longest.max())


def l1_cost_totals(cost: Floats) -> float:
    """The L1 sensitivity of the total cost of decision 1 for the members of each group."""
    return float(_two_largest(np.abs(cost)).max())


def l1_feature_sums(longest: Floats) -> float:
    """The L1 sensitivity of the sums of the features of the records in each group."""
    return 2 * float(longest.max())


def _two_largest(moves: Floats) -> Floats:
    """The sum of `moves` (groups, labels) over the two largest groups of each label."""
    return np.asarray(np.sort(moves, axis=0)[-2:].sum(axis=0))
