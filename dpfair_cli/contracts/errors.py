"""The errors and warnings of dpfair, and the hints in their messages."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MOST_WORDS = 30  # of a list in a message


class DpfairError(Exception):
    """An error of the user or in the data; the message says what to do.

    The command line prints the message without a traceback.
    """


class RunsFailedError(DpfairError):
    """The error of a command whose request was valid, but some of whose runs failed."""


class UnknownNameError(DpfairError):
    """The error for a name that no installed method, data set or task has."""


class DataWarning(UserWarning):
    """A warning about data that a user should know of; each warning is shown once per command."""


class PrivacyLeakWarning(DataWarning):
    """A warning that a value which must be public for the guarantee was read from private data."""


class LeftOutWarning(DataWarning):
    """A warning that lines of a user's file were left out."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """A context that adds the name `path` to an operating system error that names no file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def nearest(word: str, words: Iterable[str]) -> str:
    """A hint for a misspelt word: the most similar of `words`, or a list of `words`."""
    words = sorted(words)
    meant = meaning(word, words)
    if meant:
        return meant
    more = [f"and {len(words) - MOST_WORDS} more"] if len(words) > MOST_WORDS else []
    return f"there are: {', '.join([*words[:MOST_WORDS], *more])}"


def meaning(word: str, words: Iterable[str]) -> str:
    """A hint that names the most similar of `words`; empty if none of `words` is similar."""
    close = difflib.get_close_matches(word, sorted(words), n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else ""


def listed(problems: Sequence[str], way_out: str) -> str:
    """A message with one or several problems, and with `way_out`, the advice what to do."""
    if len(problems) == 1:
        return f"{problems[0]}; {way_out}"
    return "\n  - ".join([f"{len(problems)} problems; {way_out}", *problems])


def how_to_install(modules: Collection[str]) -> str:
    """The pip command that installs these modules, each of which is a package of the same name."""
    return f"pip install {' '.join(sorted(modules))}"
