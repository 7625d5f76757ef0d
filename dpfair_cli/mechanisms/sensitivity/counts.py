"""How far one record moves a table of counts: how many records there are in each cell.

A record that comes or goes changes one count by 1. A record that is replaced, or whose protected
attribute alone changes, leaves one cell and enters another: two counts change by 1, whatever the
cells are. Shares are counts divided by a public number of records, and move by that much less.
"""

from __future__ import annotations

L1_ADDED = 1  # L1 sensitivity of counts for adding or removing one record
L1_REPLACED = 2  # L1 sensitivity of counts for replacing one record, or one attribute of it


def l1_shares(n: int) -> float:
    """L1 sensitivity of the shares of n records in each cell, for replacing one record or one
    attribute of it.
    """
    return L1_REPLACED / n
