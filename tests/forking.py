"""Processes that begin where this one is, with everything imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


def begun(action: Callable[[], object], errors: str = os.devnull) -> int:
    """The number of a fork of this process that does something and ends; it reports to `errors`."""
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            said = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(said, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
            action()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os._exit(code)
    return pid


def exit_code(pid: int) -> int:
    """The exit code of a fork when it has ended; that of a signal is negative."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
