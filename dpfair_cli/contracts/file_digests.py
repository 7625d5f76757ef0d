"""Digests of files, which are computed again only if a file may have changed."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import NamedTuple

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
