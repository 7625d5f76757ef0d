"""Processes that begin where this one is, with everything imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def begun(action: Callable[[], object]) -> int:
    """The number of a fork of this process that does something, silently, and ends."""
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        try:
            action()
        finally:
            os._exit(0)
    return pid
