"""Sensitivity of the histogram of scores and groups: the share of the records in each cell.

Neighbours: replace-one; the number n of records is public. A cell is a group with a bin of scores.

A record is in exactly one cell, because every score is in a bin: scores outside the range count for
the nearest bin. The replaced record lowers the share of its cell by 1/n, and the new record raises
the share of its own cell by 1/n. All other shares stay the same, so that the L1 norm of the change
is at most 2/n. It is 2/n if the two cells differ.
"""

from __future__ import annotations


def l1_group_histogram(size: int) -> float:
    """The L1 sensitivity of the shares of all cells among `size` records; none count as one."""
    return 2 / max(size, 1)
