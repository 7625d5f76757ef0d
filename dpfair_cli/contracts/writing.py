"""Writes files whole: first beside their place, and then moved there.

A file therefore has either its old content or the whole new content, also if the disk is full or
the process is killed in between.
"""

from __future__ import annotations

import glob
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


def write_text(path: Path, text: str) -> None:
    """Writes a text as UTF-8, with the line ends that it has; a file with this text stays as it is.

    Raises:
        OSError: the file cannot be written; a file that was there has its old content.
    """
    content = text.encode("utf-8")
    if not _has_content(path, content):
        write_bytes(path, content)


def _has_content(path: Path, content: bytes) -> bool:
    """Whether a file that is no link has this content."""
    with suppress(OSError):
        found = path.lstat()
        is_file = stat.S_ISREG(found.st_mode)
        return is_file and found.st_size == len(content) and path.read_bytes() == content
    return False


def write_bytes(path: Path, content: bytes | memoryview) -> None:
    """Writes the content of a file.

    Raises:
        OSError: the file cannot be written; a file that was there has its old content.
    """
    with _blaming(path), replacing(path) as draft:
        draft.write_bytes(content)


def write_durably(path: Path, text: str) -> None:
    """Writes a text to the disk, so that it is there even after a loss of power.

    Other users have no permission for a new file; a file that was there keeps its permissions.

    Raises:
        OSError: the file cannot be written.
    """
    with _blaming(path):
        with replacing(path) as draft:
            number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(number, "wb") as file:
                file.write(text.encode("utf-8"))
                file.flush()
                os.fsync(number)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name of the file
        finally:
            os.close(folder)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A context with the path of a draft, which becomes the file `path` at the end.

    If the context ends with an error, the draft is deleted and the file stays as it was. A link is
    replaced by the file, and the file that it leads to stays as it was. What is no file, such as
    /dev/stdout, is its own draft.
    """
    if _is_device(path):
        yield path
        return
    target = path.parent.resolve() / path.name
    draft = _draft(target)
    try:
        yield draft
        if target.exists() and not target.is_symlink():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """A context with an empty file, open for bytes, which becomes the file `path` at the end.

    If the context ends with an error, the file `path` stays as it was.
    """
    with _blaming(path), replacing(path) as draft, draft.open("wb") as file:
        yield file


def require_writable(path: Path) -> None:
    """Tries whether a file can be written, before anything is computed for it.

    Raises:
        OSError: no file can be written at `path`.
    """
    if not _is_device(path):
        draft = _draft(path.parent.resolve() / path.name)
        with _blaming(path):
            try:
                draft.write_bytes(b"\n")
            finally:
                draft.unlink(missing_ok=True)


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """A context in which an operating system error names `path` and not its draft."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def _is_device(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _draft(target: Path) -> Path:
    """A path beside the target that no other process uses, with the same suffix.

    Drafts of processes that were killed are deleted.
    """
    name, suffix = re.escape(target.name), re.escape(target.suffix)
    form = re.compile(rf"\.{name}\.(\d+)\.[0-9a-f]{{8}}{suffix}")
    for file in target.parent.glob(f".{glob.escape(target.name)}.*"):
        found = form.fullmatch(file.name)
        if found and not _is_running(int(found[1])):
            file.unlink(missing_ok=True)
    return target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}{target.suffix}")


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process exists and belongs to another user
        return True
    return True
