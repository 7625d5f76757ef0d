"""Refuses a limit of memory under which the loading of libraries would never end.

OpenBLAS, which comes with SciPy, asks for memory until it gets some while it is loaded. No signal
but SIGKILL then ends the process.
"""

from __future__ import annotations

from importlib.util import find_spec

from dpfair_cli.commands import FAILED, Stopped

LEAST = 10**9  # bytes with which a check of all papers and a sweep end; with 6 * 10**8 they do not
GIGABYTE = 10**9


def require_address_space() -> None:
    """Refuses to load libraries under a limit as of `ulimit -v` that is too low.

    Raises:
        Stopped: the limit is too low.
    """
    if find_spec("resource") is None:  # not on this system
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != limit < LEAST:
        raise Stopped(
            f"not enough memory: this process may use {limit / GIGABYTE:.2f} GB of address space, "
            f"and dpfair needs {LEAST / GIGABYTE:g} GB: raise the limit by `ulimit -v`",
            FAILED,
        )
