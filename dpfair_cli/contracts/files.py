"""Writes files whole, and reads YAML files and digests of files.

A file is first written beside its place, and then moved there. It therefore has either its old
content or the whole new content, also if the disk is full or the process is killed in between.
A YAML file in which a key occurs twice in a mapping is refused, because YAML would silently keep
the last value.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import yaml

from dpfair_cli.contracts.errors import DpfairError


def write_text(path: Path, text: str) -> None:
    """Writes a text as UTF-8, with the line ends that it has; a file with this text stays as it is.

    Raises:
        OSError: the file cannot be written; a file that was there has its old content.
    """
    # a file that is not written keeps its time, and programs that watch it have nothing to do
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
    with replacing(path) as draft:
        draft.write_bytes(content)


def write_durably(path: Path, text: str) -> None:
    """Writes a text to the disk, so that it is there even after a loss of power.

    Other users have no permission for a new file; a file that was there keeps its permissions.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as draft:
        number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(number)
    # the folder has the name of the file, which would otherwise be lost with the power
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A context with the path of a draft, which becomes the file `path` at the end.

    If the context ends with an error, the draft is deleted and the file stays as it was. A link is
    replaced by the file, and the file that it leads to stays as it was. What is no file, such as
    /dev/stdout, is its own draft. An error of the operating system names `path`, not the draft.
    """
    if _is_device(path):
        with _blaming(path):
            yield path
        return
    # resolved once, so that draft and file are in one folder even if a link changes meanwhile
    target = path.parent.resolve() / path.name
    draft = _draft(target)
    try:
        with _blaming(path):
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
    with replacing(path) as draft, draft.open("wb") as file:
        yield file


def require_writable(path: Path) -> None:
    """Tries whether a file can be written, before anything is computed for it.

    Raises:
        OSError: no file can be written at `path`.
    """
    if _is_device(path):
        return
    draft = _draft(path.parent.resolve() / path.name)
    try:
        with _blaming(path):
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
    # the name of a draft has the number of its process, which says whether somebody still writes it
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


# Tables and journals shrink fiftyfold at most, but zeros a thousandfold (gzip) or ten thousandfold
# (xz), so that a small file could fill the memory. 64 MiB fit into every memory; a short table of
# equal rows, which shrinks more, is thus read too.
MOST_TIMES, ALWAYS_READ = 200, 64 * 2**20
PIECE = 2**20  # bytes that are unpacked at once


def most_unpacked(packed: int) -> int:
    """The most bytes that a compressed file of `packed` bytes may unpack to."""
    return max(MOST_TIMES * packed, ALWAYS_READ)


def unpacked(file: str, content: IO[bytes], packed: int) -> bytes:
    """The content of a compressed file of `packed` bytes, which is read from `content`.

    Raises:
        DpfairError: it has more than `most_unpacked` bytes; the rest is not read.
    """
    # piece by piece: a reader makes room for all bytes that it is asked for
    found, size, most = [], 0, most_unpacked(packed)
    while piece := content.read(PIECE):
        found.append(piece)
        size += len(piece)
        if size > most:
            raise too_large(file, most)
    return b"".join(found)


def too_large(file: str, most: int) -> DpfairError:
    """The error for a compressed file that holds more than `most` bytes."""
    return DpfairError(
        f"{file} unpacks to more than {most // 2**20:,} MiB, the limit for a compressed file of "
        "its size: if you trust the file, unpack it and give the unpacked file"
    )


SETTLED_SECONDS = 3.0  # a later change of a file has another time, on every file system


class _State(NamedTuple):
    """What changes with a file: its place and size, and the times of its last changes."""

    device: int
    inode: int
    size: int
    written: int
    changed: int


_digest_of: dict[_State, str] = {}


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits.

    A command asks for the digest of a large table several times. The digest is kept if the last
    change of the file is SETTLED_SECONDS old, because every later change has another time.

    Raises:
        OSError: the file is missing or cannot be read.
    """
    began = time.time()
    with path.open("rb") as file:
        state = _state(os.fstat(file.fileno()))
        if state in _digest_of:
            return _digest_of[state]
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        is_same = _state(os.fstat(file.fileno())) == state
    if is_same and max(state.written, state.changed) < (began - SETTLED_SECONDS) * 1e9:
        _digest_of[state] = digest
    return digest


def _state(found: os.stat_result) -> _State:
    return _State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def as_text(document: Any) -> str:
    """A document as indented JSON that ends with a line break; NaN is refused.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    return f"{json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)}\n"


TOO_DEEP = "has lists or mappings inside each other, too deep to be read: write it flatter"
MERGE = "tag:yaml.org,2002:merge"  # `<<`, which may stand several times
FASTEST: Any = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # ten times faster where PyYAML was built with libyaml


class _Twice(yaml.MarkedYAMLError):
    """The error for a key that occurs twice in a mapping of a YAML file."""


class _Once:
    """A mixin for PyYAML's loaders that refuses a key which occurs twice in a mapping."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[Any, int] = {}
        for key in (key for key, _ in node.value if key.tag != MERGE):
            value = self.construct_object(key, deep=True)  # type: ignore[attr-defined]
            if not isinstance(value, Hashable):
                break  # PyYAML refuses it
            if value in lines:
                why = f"{value!r} stands twice, first in line {lines[value]}"
                raise _Twice(problem=why, problem_mark=key.start_mark)
            lines[value] = key.start_mark.line + 1
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return mapping


class _Loader(_Once, FASTEST):  # type: ignore[misc]
    """PyYAML's safe loader with the check for repeated keys."""


class _TextLoader(_Once, yaml.BaseLoader):
    """A loader of YAML files that reads every scalar as text."""


def read_yaml(file: Path) -> Any:
    """The parsed content of a YAML file.

    Equal texts share one object, which therefore must not be changed.

    Raises:
        DpfairError: the file is not YAML, or a key occurs twice in a mapping.
        OSError: the file cannot be read.
    """
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except _Twice as error:
        raise DpfairError(_told(file.name, error)) from error
    except RecursionError:
        raise DpfairError(f"{file.name} {TOO_DEEP}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise DpfairError(
            f"{file.name} must be valid YAML: {' '.join(str(error).split())}"
        ) from error


def read_yaml_texts(file: str) -> list[Any]:
    """The parsed documents of a user's YAML file, every scalar as text.

    Raises:
        DpfairError: the file cannot be read, is not YAML, or a key occurs twice in a mapping.
    """
    try:
        return list(
            yaml.load_all(Path(file).expanduser().read_text(encoding="utf-8"), Loader=_TextLoader)
        )
    except _Twice as error:
        raise DpfairError(_told(file, error)) from error
    except RecursionError:
        raise DpfairError(f"{file} {TOO_DEEP}") from None
    except FileNotFoundError:
        raise DpfairError(f"{file} does not exist: check the path") from None
    except IsADirectoryError:
        raise DpfairError(f"{file} is a folder: give the path of a file in it") from None
    except UnicodeDecodeError as error:
        raise DpfairError(
            f"{file} must be text in the encoding UTF-8: save the file in UTF-8"
        ) from error
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DpfairError(f"{file} cannot be read: {' '.join(str(error).split())}") from error


def _told(file: str, error: _Twice) -> str:
    line = error.problem_mark.line + 1 if error.problem_mark else 0
    return f"{file}, line {line}: the key {error.problem}"


@lru_cache(maxsize=256)
def _parsed(text: str) -> Any:
    """The content of the YAML text `text`.

    The result is cached, since every artefact of a paper reads the same files.
    """
    # a safe loader, which makes no objects of other classes
    return yaml.load(text, Loader=_Loader)
