"""Reuse of freed memory from batch to batch."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_MAX = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX of glibc's mallopt
MOST_BYTES = 2**31 - 1  # largest value of a setting


def keep_freed_memory() -> None:
    """Makes this process keep freed memory, with glibc; does nothing elsewhere.

    glibc returns large arrays to the system at once, and their pages are cleared before the next
    batch uses them: a quarter of the time of a step of the network.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, MOST_BYTES)
