"""Sensitivity of counts by group and cell, where the total of each cell over the groups is public.

Neighbours: the protected attribute of one record. A cell consists of public values of a record,
such as its label and a bin of a public score. Then the number of records in each cell, in all
groups together, is public too.

The record leaves the count of its cell in group a and enters the count of the same cell in group
b. Two counts change by 1, so that the L1 norm of the change is 2.

With two groups, the totals minus the counts of one group are the counts of the other. It is enough
to release the counts of one group. One of them changes by 1, so that the L1 norm is 1.
"""

from __future__ import annotations


def l1_counts_with_totals(groups: int) -> float:
    """The L1 sensitivity of the counts of one of two groups, or else of the counts of all groups.

    >>> l1_counts_with_totals(2), l1_counts_with_totals(5)
    (1.0, 2.0)
    """
    return 1.0 if groups == 2 else 2.0
