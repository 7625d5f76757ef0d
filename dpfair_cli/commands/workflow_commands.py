"""Workflow commands of GitHub: lines of the output that begin with two colons.

In a workflow, the name of a file or a column could be such a line. Therefore no output of dpfair is
a workflow command but the annotations of `dpfair check --format github`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from typing import TextIO

COMMAND = re.compile(r"^(\s*:)(?=:)", re.MULTILINE)


def disarm_output() -> None:
    """Puts a blank between two colons at the beginning of a line, in a workflow of GitHub."""
    if os.environ.get("GITHUB_ACTIONS"):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by the caller
                _disarm(stream)


def _disarm(stream: TextIO) -> None:
    write = stream.write
    stream.write = lambda text: write(COMMAND.sub(r"\1 ", text))  # type: ignore[method-assign]


def annotate(lines: Iterable[str]) -> None:
    """Prints workflow commands."""
    sys.stdout.flush()
    sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())
    sys.stdout.buffer.flush()
