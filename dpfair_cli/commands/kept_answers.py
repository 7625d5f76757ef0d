"""Keeps what a command printed, and prints it again as long as nothing has changed.

The key of an answer is a digest of the code of dpfair, of the versions of the libraries, of the
files of the papers and of their results, and of the options of the command.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import NamedTuple, TextIO

import click

from dpfair_cli.contracts import kept_files

FOLDER = "answers"  # in the cache folder
MOST = 100  # kept answers; the oldest ones are deleted
LIBRARIES = ("numpy", "pandas", "scipy", "jinja2", "pyyaml", "click", "matplotlib", "pillow")
PLUGINS = "dpfair."  # beginning of the entry points by which other packages add methods
ONLY_NAMED = {".png", ".pdf"}  # files of which an answer needs to know only that they are there
NOT_READ = {".html"}  # files that no answer depends on
IGNORED = {".pyc", ".lock"}
PART = 2**20  # bytes of a file that are in memory at one time


def digest_of(folders: Sequence[Path], request: object) -> str:
    """A digest of all that decides an answer: code, libraries, the files in folders, the request.

    Pictures count by their names, and pages not at all. The digest is empty if another package adds
    methods or data sets, whose code is not part of it, or if no answer is kept.
    """
    return _digest(folders, request, ONLY_NAMED, IGNORED | NOT_READ)


def digest_of_everything(folders: Sequence[Path], request: object) -> str:
    """The same digest with the content of pictures and pages, for a command that writes them."""
    return _digest(folders, request, set(), IGNORED)


def digest_of_code() -> str:
    """The digest of the code of dpfair and of the versions of the libraries, as in `digest_of`."""
    return digest_of([], "code")


def digest_of_files(folders: Sequence[Path], request: object) -> str:
    """The digest of the files in folders and of the request alone, as in `digest_of`."""
    return _digest_of_files(folders, request, ONLY_NAMED, IGNORED | NOT_READ)


def _digest(
    folders: Sequence[Path], request: object, named: Collection[str], ignored: Collection[str]
) -> str:
    """A digest in which files with a suffix in `named` count by name, and some are ignored."""
    if not kept_files.cache_folder():
        return ""
    points = metadata.entry_points()
    if any(group.startswith(PLUGINS) for group in points.groups):
        return ""
    versions = [metadata.version(name) for name in LIBRARIES]
    code = Path(__file__).parents[1]
    return _digest_of_files([code, *folders], (sys.version, versions, request), named, ignored)


def _digest_of_files(
    folders: Sequence[Path], request: object, named: Collection[str], ignored: Collection[str]
) -> str:
    """The digest of files and of a request; `named` and `ignored` as for `_digest`."""
    found = hashlib.blake2b(digest_size=16)
    found.update(repr(([*map(str, folders)], request)).encode())
    for folder in folders:
        for file in sorted(_files(folder)):
            if file.suffix in ignored:
                continue
            size = 0 if file.suffix in named else file.stat().st_size
            found.update(f"\n{file} {size}\n".encode())
            if size:
                for part in _parts(file):
                    found.update(part)
    return found.hexdigest()


def _parts(file: Path) -> Iterator[bytes]:
    """Yields the content of a file in parts: a journal may be large."""
    with file.open("rb") as stream:
        yield from iter(partial(stream.read, PART), b"")


def _files(folder: Path) -> Iterator[Path]:
    """Yields the files in a folder and its subfolders; of a file, yields the file.

    A symbolic link to a missing file, such as the lock of an editor, is left out.
    """
    if folder.is_file():
        yield folder
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if name != "__pycache__"]
        yield from filter(Path.is_file, (Path(place, file) for file in files))


class Answer(NamedTuple):
    """How a command has ended after it printed its answer."""

    code: int
    """The exit code."""

    is_lasting: bool = True
    """Whether the answer depends on nothing that its key lacks, such as a file of the user."""


def kept(key: str, why: str) -> Answer | None:
    """Prints the kept answer of a key again, and why; None without a kept answer."""
    try:
        found = json.loads(kept_files.read(FOLDER, key) or b"")
        text, remarks = str(found["text"]), str(found["remarks"])
        answer = Answer(int(found["code"]))
    except (ValueError, KeyError, TypeError):
        return None
    click.echo(text, nl=False)
    click.echo(remarks, nl=False, err=True)
    click.echo(why, err=True)
    return answer


def keep(key: str, give: Callable[[], Answer]) -> Answer:
    """Calls a function that prints an answer, and keeps what it prints; returns the answer.

    Warnings and other lines on stderr are kept, too, but no progress bar. An answer without a key,
    or that ends with an error, is not kept.
    """
    if not key:
        return give()
    copy, remarks = _Copy(sys.stdout), _Copy(sys.stderr)
    with redirect_stdout(copy), redirect_stderr(remarks):
        answer = give()
    if answer.is_lasting:
        found = {"text": copy.text, "remarks": remarks.text, "code": answer.code}
        kept_files.keep(FOLDER, key, json.dumps(found).encode(), most=MOST)
    return answer


class _Copy(io.TextIOBase):
    """A stream that passes text on, and keeps a copy of it without progress bars."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self.text = stream, ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream."""
        return self._stream.encoding

    def write(self, text: str) -> int:
        """Writes a text to the stream."""
        if not text.startswith("\r"):  # as every state of a progress bar
            self.text += text
        return self._stream.write(text)

    def flush(self) -> None:
        """Flushes the stream."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """The number of the stream."""
        return self._stream.fileno()
