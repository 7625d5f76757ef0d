"""Runs the command `dpfair`, also as `python -m dpfair_cli`."""

from __future__ import annotations

import gc
import os
import sys

INTERRUPTED = 130  # exit code
# new objects between two searches for unused cycles; the libraries alone make some hundred thousand
# objects that are used to the end. Python's default is 700
NEW_OBJECTS = 400_000


def main() -> None:
    """Runs the command line; an interrupt ends it with one line, also while it is imported."""
    gc.set_threshold(NEW_OBJECTS)
    # runs use one thread, and further threads of OpenBLAS would use a processor while they wait
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from dpfair_cli.commands import main as command
        from dpfair_cli.commands.workflow_commands import disarm_output
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(INTERRUPTED)
    disarm_output()
    command(prog_name="dpfair")


if __name__ == "__main__":
    main()
