"""Downloads or copies files of data sets, and keeps only files with the declared SHA-256."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.data_access.hashes import sha256_of

RETRIES = 1  # retries of one address, after a second
TIMEOUT = (4, 30)  # seconds until an address answers, and between two parts of a file


def fetch(source: DataSource, *, data_dir: Path, mirror: str | None, offline: bool) -> list[Path]:
    """The paths of the files of a data source in `data_dir`; missing files are fetched.

    Files are copied from the mirror or downloaded. `mirror` is a folder or an address (http://...)
    with the layout of `data_dir` and is tried before the public addresses.

    Raises:
        DpfairError: no source has a file; the message says which file to put where by hand.
    """
    if source.own_files:
        raise DpfairError(
            f"the data set {source.name} reads a file of your own: give the path of the file "
            "with file=PATH"
        )
    return [_fetch_file(file, data_dir, mirror, offline) for file in source.files]


def _fetch_file(file: File, data_dir: Path, mirror: str | None, offline: bool) -> Path:
    """The path of one file of a data set in `data_dir`.

    A missing file is fetched from the first source (mirror or address) that has the file.
    """
    target = data_dir / file.path
    if target.is_file() and sha256_of(target) == file.sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    for source in _sources(file, mirror, offline):
        try:
            _copy_or_download(source, target, file.sha256)
            return target
        except (
            OSError,
            ValueError,
        ) as error:  # requests' errors are OSErrors; a wrong hash is a ValueError
            failures.append(f"{source}: {_cause(error)}")
    tried = "; ".join(failures) or "offline and without a mirror"
    raise DpfairError(
        f"{file.path} could not be fetched ({tried}): copy the file to {target}; its SHA-256 "
        f"must be {file.sha256}"
    )


def _sources(file: File, mirror: str | None, offline: bool) -> list[str]:
    """The folders and addresses to fetch a file from, in order; offline, only folders."""
    mirrored = [f"{mirror.rstrip('/')}/{file.path}"] if mirror else []
    return [source for source in (*mirrored, *file.urls) if not (offline and _is_address(source))]


def _copy_or_download(source: str, target: Path, sha256: str) -> None:
    if not _is_address(source):
        _arrive(target, sha256, lambda part: shutil.copyfile(Path(source).expanduser(), part))
        return
    for left in range(RETRIES, -1, -1):
        try:
            _arrive(target, sha256, lambda part: _download(source, part))
            return
        except (OSError, ValueError):
            if not left:
                raise
            time.sleep(1)


def _arrive(target: Path, sha256: str, bring: Callable[[Path], Any]) -> None:
    """Writes the file `target` only if the content that `bring` writes has the SHA-256 `sha256`.

    `bring` gets a temporary path; after the check, the temporary file is renamed atomically.
    """
    _remove_left_over(target)
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        bring(part)
        if sha256_of(part) != sha256:
            raise ValueError("the file has another SHA-256 hash than the published file")
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _remove_left_over(target: Path) -> None:
    """Deletes temporary files of an earlier download of `target` that was killed."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*"):
        if not _is_running(part.name.rpartition(".")[2]):
            part.unlink(missing_ok=True)


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:  # the process exists and belongs to another user
        return True
    return True


def _download(url: str, part: Path) -> None:
    import pooch

    pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=TIMEOUT)(url, str(part), None)


def _cause(error: Exception) -> str:
    if isinstance(error, ValueError):
        return "another file (an error page, cut short, or changed)"
    answer = getattr(error, "response", None)  # requests.HTTPError has a response
    if answer is not None:
        return f"answered {answer.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__


def _is_address(source: str) -> bool:
    return "://" in source
