"""What the toolkit says when a user or the data are mistaken."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MOST_WORDS = 30  # of a list in a message


class DpfairError(Exception):
    """A mistake of the user or in the data; the message says what to do.

    The command line prints it without a traceback.
    """


class RunsFailedError(DpfairError):
    """Runs that failed although nothing was wrong with the request."""


class UnknownNameError(DpfairError):
    """A name that no installed method, data set or task has."""


class DataWarning(UserWarning):
    """Something about data that a user should know; shown once a command."""


class PrivacyLeakWarning(DataWarning):
    """Something that privacy relies on was read from the private data."""


class LeftOutWarning(DataWarning):
    """Lines of a user's file that are left out."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Adds the name of `path` to an error of the operating system that names no file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint for a misspelt word: the nearest word, or the words that there are."""
    words = sorted(words)
    meant = meaning(word, words)
    if meant:
        return meant
    more = [f"and {len(words) - MOST_WORDS} more"] if len(words) > MOST_WORDS else []
    return f"there are: {', '.join([*words[:MOST_WORDS], *more])}"


def meaning(word: str, words: Iterable[str]) -> str:
    """A hint that names the nearest word; empty if no word is similar."""
    close = difflib.get_close_matches(word, sorted(words), n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else ""


def listed(problems: Sequence[str], way_out: str) -> str:
    """One problem as a line, several as a list of lines, with what to do."""
    if len(problems) == 1:
        return f"{problems[0]}; {way_out}"
    return "\n  - ".join([f"{len(problems)} problems; {way_out}", *problems])
