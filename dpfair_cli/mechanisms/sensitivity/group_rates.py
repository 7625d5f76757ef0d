"""Sensitivity of the selection rates of groups, for a classifier that is public.

Neighbours: add-or-remove-one; the number of records is public and stays the same.

The records are divided at random into a part for learning and a part for post-processing, and the
division is independent of their values. A classifier is learned from the first part alone. Given
its release, a record of the first part changes nothing that is computed from the second part.
A record of the second part belongs to one group. It changes the number of members of this group and
the number of its selected members by at most 1 each, and nothing of the other groups.

Selected members divided by all members: if the sizes of the groups are public (neighbours do not
change them), the rate of a group of n records changes by at most 1/n. If the sizes are private, the
factor 1/n itself depends on a record, and noise of this scale does not cover the rate. Then both
counts are released with noise, each with the L1 sensitivity 1, and the rate is computed from the
noisy counts.

Cost. A record is in one part and, in the second, in one group. The privacy loss of a release with
epsilon_learning, and rates of the groups with epsilon_0 and epsilon_1, is therefore at most
max(epsilon_learning, epsilon_0, epsilon_1). ghoukasian2024 states the sum of all three, which is an
upper bound.
"""

from __future__ import annotations

L1_COUNT = 1.0  # L1 sensitivity of the number of (selected) members of a group


def l1_rate(size: int) -> float:
    """The L1 sensitivity of the selection rate of a group of a public size; none count as one."""
    return 1 / max(size, 1)
