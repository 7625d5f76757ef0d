"""A context that hides the output of libraries that print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO


@contextmanager
def silence() -> Iterator[None]:
    """A context in which nothing is printed on stdout or stderr."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield
