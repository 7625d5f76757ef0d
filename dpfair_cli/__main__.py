"""Runs the command `dpfair`, also as `python -m dpfair_cli`."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable
from functools import partial
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
    if sys.stderr is not None:  # closed by the caller
        _keep_going(sys.stderr)
    if os.environ.get("GITHUB_ACTIONS"):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by the caller
                _disarm(stream)
    command(prog_name="dpfair")


def _keep_going(stream: TextIO) -> None:
    """Replaces a stream of remarks by the null device when it cannot be written.

    A full disk or a closed pipe must not end a command whose results go elsewhere.
    """
    write, flush = stream.write, stream.flush

    def attempt(call: Callable[[], object]) -> None:
        try:
            call()
        except OSError:
            # also what the stream still holds, which Python would write again at exit
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)

    def write_or_drop(text: str) -> int:
        attempt(partial(write, text))
        return len(text)

    stream.write = write_or_drop  # type: ignore[method-assign]
    stream.flush = partial(attempt, flush)  # type: ignore[method-assign]


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
