"""Keeps what was made in the user's cache folder, so that no later command makes it again.

The folder is that in $DPFAIR_CACHE, or else the user's cache folder. With an empty $DPFAIR_CACHE,
nothing is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from dpfair_cli.contracts.writing import write_bytes

VARIABLE = "DPFAIR_CACHE"


def cache_folder() -> str:
    """The path of the cache folder; empty if nothing is kept."""
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    from platformdirs import user_cache_dir

    return user_cache_dir("dpfair", appauthor=False)


def read(kind: str, key: str) -> bytes | None:
    """The content that is kept under a key; None without one, or if its file is damaged.

    `kind` is the name of a subfolder of the cache folder.
    """
    if not (cache_folder() and key):
        return None
    with suppress(OSError):
        checksum, _, content = _file(kind, key).read_bytes().partition(b"\n")
        return content if checksum == _checksum(content) else None
    return None


def keep(kind: str, key: str, content: bytes, *, most: int) -> None:
    """Keeps a content under a key. Of a kind, the `most` latest ones are kept.

    Nothing happens if the folder cannot be written: the content is then made again.
    """
    if not (cache_folder() and key):
        return
    with suppress(OSError):
        _file(kind, key).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(_file(kind, key), _checksum(content) + b"\n" + content)
        _delete_oldest(kind, most)


def made_once(kind: str, key: str, make: Callable[[], str], *, most: int) -> str:
    """The text that a function makes, or that it has made before under the same key."""
    found = read(kind, key)
    if found is not None:
        return found.decode()
    text = make()
    keep(kind, key, text.encode(), most=most)
    return text


def _file(kind: str, key: str) -> Path:
    """The file of a kept content."""
    return Path(cache_folder(), kind, key)


def _checksum(content: bytes) -> bytes:
    return f"{crc32(content):08x}".encode()


def _delete_oldest(kind: str, most: int) -> None:
    """Deletes all kept files of a kind but the latest."""
    files = sorted(Path(cache_folder(), kind).glob("*"), key=lambda file: file.stat().st_mtime)
    for file in files[:-most]:
        file.unlink(missing_ok=True)
