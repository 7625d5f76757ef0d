"""A setting of glibc with which memory is reused from batch to batch."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_MAX = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX of glibc's mallopt
MOST_BYTES = 2**31 - 1  # largest value of a setting


def keep_freed_memory() -> None:
    """Makes this process keep freed memory; does nothing on systems without glibc."""
    # by default glibc returns the memory of large arrays to the system at once, which clears it
    # before the next batch uses it: a quarter of the time of a training step of the network
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, MOST_BYTES)
