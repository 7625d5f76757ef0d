"""Sensitivity of a contingency table: the number of records in each cell.

Adding or removing a record changes one count by 1. Replacing a record, or only its protected
attribute, moves the record from one cell to another, and two counts change by 1. Shares are counts
divided by a public number of records n; their sensitivity is that of the counts divided by n.
"""

from __future__ import annotations

L1_ADDED = 1  # L1 sensitivity of counts for adding or removing one record
L1_REPLACED = 2  # L1 sensitivity of counts for replacing one record, or one attribute of it


def l1_shares(n: int) -> float:
    """The L1 sensitivity of the shares of n records in the cells of a table, for replace-one."""
    return L1_REPLACED / n
