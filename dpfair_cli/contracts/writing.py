"""Writes files whole: first beside their place, and then moved there.

A file therefore has either its old content or the whole new content, also if the disk is full or
the process is killed in between.
"""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_text(path: Path, text: str) -> None:
    """Writes a text as UTF-8, with the line ends that it has.

    Raises:
        OSError: the file cannot be written; a file that was there has its old content.
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Writes the content of a file.

    Raises:
        OSError: the file cannot be written; a file that was there has its old content.
    """
    with _blaming(path), replacing(path) as draft:
        draft.write_bytes(content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A context with the path of a draft, which becomes the file `path` at the end.

    If the context ends with an error, the draft is deleted and the file stays as it was. What is no
    file, such as /dev/stdout, is its own draft.
    """
    target = path.resolve()  # of a link, the file that it leads to
    if _is_device(target):
        yield target
        return
    draft = _draft(target)
    try:
        yield draft
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def require_writable(path: Path) -> None:
    """Tries whether a file can be written, before anything is computed for it.

    Raises:
        OSError: no file can be written at `path`.
    """
    target = path.resolve()
    if not _is_device(target):
        draft = _draft(target)
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
    for draft in target.parent.glob(f".{glob.escape(target.name)}.*{target.suffix}"):
        words = draft.name.removeprefix(f".{target.name}.").split(".")
        if words[0].isdigit() and not _is_running(int(words[0])):
            draft.unlink(missing_ok=True)
    return target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}{target.suffix}")


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the process exists and belongs to another user
        return True
    return True
