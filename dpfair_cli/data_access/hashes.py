"""Digests that identify files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any


def combined(hashes: Iterable[tuple[Any, str]]) -> str:
    """A digest of 16 digits that changes if any of the pairs (name, hash) changes."""
    return hashlib.sha256(repr(sorted(hashes)).encode()).hexdigest()[:16]
