"""Keeps texts in the user's cache folder, so that no later command has to make them again.

The folder is that in $DPFAIR_CACHE, or else the user's cache folder. With an empty $DPFAIR_CACHE,
nothing is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

from dpfair_cli.contracts.writing import write_text

VARIABLE = "DPFAIR_CACHE"


def cache_folder() -> str:
    """The path of the cache folder; empty if nothing is kept."""
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    from platformdirs import user_cache_dir

    return user_cache_dir("dpfair", appauthor=False)


def read(kind: str, key: str) -> str | None:
    """The text that is kept under a key; None without one, or if its file is damaged.

    `kind` is the name of a subfolder of the cache folder.
    """
    if not (cache_folder() and key):
        return None
    with suppress(OSError, ValueError):
        checksum, _, text = _file(kind, key).read_text(encoding="utf-8").partition("\n")
        return text if checksum == _checksum(text) else None
    return None


def keep(kind: str, key: str, text: str, *, most: int) -> None:
    """Keeps a text under a key. Of a kind, the `most` latest texts are kept.

    Nothing happens if the folder cannot be written: the text is then made again.
    """
    if not (cache_folder() and key):
        return
    with suppress(OSError):
        _file(kind, key).parent.mkdir(parents=True, exist_ok=True)
        write_text(_file(kind, key), f"{_checksum(text)}\n{text}")
        _delete_oldest(kind, most)


def made_once(kind: str, key: str, make: Callable[[], str], *, most: int) -> str:
    """The text that a function makes, or that it has made before under the same key."""
    found = read(kind, key)
    if found is None:
        found = make()
        keep(kind, key, found, most=most)
    return found


def _file(kind: str, key: str) -> Path:
    """The file of a kept text."""
    return Path(cache_folder(), kind, f"{key}.json")


def _checksum(text: str) -> str:
    return f"{crc32(text.encode()):08x}"


def _delete_oldest(kind: str, most: int) -> None:
    """Deletes all kept texts of a kind but the latest."""
    files = sorted(Path(cache_folder(), kind).glob("*.json"), key=lambda file: file.stat().st_mtime)
    for file in files[:-most]:
        file.unlink(missing_ok=True)
