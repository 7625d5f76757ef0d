"""Memory that one batch frees and the next one takes."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_MAX = -1, -4  # what mallopt of glibc calls M_TRIM_THRESHOLD and M_MMAP_MAX
MOST_BYTES = 2**31 - 1  # that a setting can say


def keep_freed_memory() -> None:
    """Keep in this process what is freed, where glibc hands out memory; elsewhere nothing is done.

    glibc gives large arrays back to the system at once, which empties each of their pages before
    the next batch gets them: a quarter of the time of a step of the network.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt:
        mallopt(MMAP_MAX, 0)
        mallopt(TRIM_THRESHOLD, MOST_BYTES)
