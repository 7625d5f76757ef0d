"""What the toolkit says when a user or the data are mistaken."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MOST_WORDS = 30  # of a list in a message


class DpfairError(Exception):
    """A mistake of the user or of the data, in one line that says what to do, or in a list
    (`listed`).

    The CLI prints it without traceback.
    """


class RunsFailedError(DpfairError):
    """Runs that were rightly asked for and failed."""


class UnknownNameError(DpfairError):
    """A name of a method, a data set or a task that none has that is installed."""


class DataWarning(UserWarning):
    """Something about data that a user should know; it is said once a command."""


class PrivacyLeakWarning(DataWarning):
    """Something that privacy relies on was read from the private data."""


class LeftOutWarning(DataWarning):
    """Lines of a user's file that are left out."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Give an error of the operating system that names no file, as that of a full disk, the name of
    `path`.
    """
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def nearest(word: str, words: Iterable[str]) -> str:
    """' Did you mean ...?' for a misspelt word, or the words there are, the first of many."""
    words = sorted(words)
    meant = meaning(word, words)
    if meant:
        return meant
    more = [f"and {len(words) - MOST_WORDS} more"] if len(words) > MOST_WORDS else []
    return f"there are: {', '.join([*words[:MOST_WORDS], *more])}"


def meaning(word: str, words: Iterable[str]) -> str:
    """'Did you mean ...?' for a misspelt word; empty if no word is like it."""
    close = difflib.get_close_matches(word, sorted(words), n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else ""


def listed(problems: Sequence[str], way_out: str) -> str:
    """Several problems as a list of lines, one as one line, and what can be done."""
    if len(problems) == 1:
        return f"{problems[0]}; {way_out}"
    return "\n  - ".join([f"{len(problems)} problems; {way_out}", *problems])
