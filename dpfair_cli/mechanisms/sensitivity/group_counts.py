"""Sensitivity of counts by group and cell, where the total of each cell over the groups is public.

Neighbours: the protected attribute of one record. A cell consists of public values of a record,
such as its label and a bin of a public score. Then the number of records in each cell, in all
groups together, is public too.

The record leaves the count of its cell in group a and enters the count of the same cell in group
b. Two counts change by 1, so that the L1 norm of the change is 2.

With two groups, the counts of one group determine those of the other: they are the totals minus
these counts. If only the counts of one group are released, one released count changes by 1, and the
L1 norm is 1. With one group there are no neighbours.
"""

from __future__ import annotations


def groups_to_release(groups: int) -> slice:
    """The groups whose counts and the public totals determine all counts."""
    return slice(1, None) if groups == 2 else slice(None)


def l1_counts_with_totals(groups: int) -> float:
    """The L1 sensitivity of the counts of the groups that `groups_to_release` selects."""
    return 1.0 if groups == 2 else 2.0
