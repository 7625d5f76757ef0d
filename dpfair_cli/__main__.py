"""Runs the command `dpfair`, also as `python -m dpfair_cli`."""

from __future__ import annotations

import gc
import os
import re
import sys
from typing import TextIO

INTERRUPTED = 130  # exit code
# new objects between two searches for unused cycles; the libraries alone make some hundred thousand
# objects that are used to the end. Python's default is 700
NEW_OBJECTS = 400_000
# in the output of a workflow of GitHub, a line that begins with two colons is a command to GitHub
WORKFLOW_COMMAND = re.compile(r"^(\s*:)(?=:)", re.MULTILINE)


def main() -> None:
    """Runs the command line; an interrupt ends it with one line, also while it is imported."""
    gc.set_threshold(NEW_OBJECTS)
    # runs use one thread, and further threads of OpenBLAS would use a processor while they wait
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from dpfair_cli.commands import main as command
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(INTERRUPTED)
    if os.environ.get("GITHUB_ACTIONS"):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by the caller
                _disarm(stream)
    command(prog_name="dpfair")


def _disarm(stream: TextIO) -> None:
    """Puts a blank between two colons at the beginning of a line.

    The name of a file or a column could else be a workflow command. `dpfair check --format github`
    writes its annotations to the buffer below the stream.
    """
    write = stream.write
    disarmed = WORKFLOW_COMMAND.sub
    stream.write = lambda text: write(disarmed(r"\1 ", text))  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
