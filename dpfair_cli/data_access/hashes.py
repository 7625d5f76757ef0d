"""Digests that identify files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def combined(hashes: Iterable[tuple[Any, str]]) -> str:
    """A digest of 16 digits that changes if any of the pairs (name, hash) changes."""
    return hashlib.sha256(repr(sorted(hashes)).encode()).hexdigest()[:16]
