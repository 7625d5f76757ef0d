"""Waiting for what another process does, whenever the machine lets it run."""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_SECONDS = 600.0  # so that a mistake ends; no test depends on how fast a process is


def wait_until(is_so: Callable[[], object]) -> None:
    """Waits until `is_so()` is true.

    Raises:
        TimeoutError: it does not become true.
    """
    end = time.monotonic() + LONGEST_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"not so after {LONGEST_SECONDS:.0f} seconds")
        time.sleep(0.01)
