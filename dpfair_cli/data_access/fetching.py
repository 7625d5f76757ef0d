"""Downloads or copies files of data sets, and keeps only files with the declared SHA-256."""

from __future__ import annotations

import hashlib
import shutil
import time
from http.client import HTTPException
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tqdm import tqdm

from dpfair_cli.contracts.declarations import DataSource, File
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import opened, sha256_of

RETRIES = 1  # retries of one address, after a second
TIMEOUT = 30  # seconds until an address answers, and between two parts of a file
# of a source: it has no such file, its answer is malformed, or it has another file
FAILURES = (OSError, HTTPException, ValueError)
HEADERS = {"User-Agent": "dpfair"}  # some servers refuse the name that Python gives itself


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
    # every failure is kept, since the reader must see which address to try by hand
    failures = []
    for source in _sources(file, mirror, offline):
        try:
            _copy_or_download(source, target, file)
            return target
        except FAILURES as error:
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


def _copy_or_download(source: str, target: Path, file: File) -> None:
    """Writes the file `target` only if the source has its whole published content.

    Raises:
        OSError: the source has no such file, or the target cannot be written.
        ValueError: the content is another one.
    """
    # a server may fail once, and a folder does not
    for left in range(RETRIES if _is_address(source) else 0, -1, -1):
        try:
            with opened(target) as part:
                arriving = _Arriving(part, file)
                _bring(source, arriving)
                if arriving.hash.hexdigest() != file.sha256:
                    raise ValueError("the file has another SHA-256 hash than the published file")
            return
        except FAILURES:
            if not left:
                raise
            time.sleep(1)


def _bring(source: str, part: _Arriving) -> None:
    """Copies or downloads the content of a source."""
    if not _is_address(source):
        with Path(source).expanduser().open("rb") as content:
            shutil.copyfileobj(content, part)
        return
    with urlopen(Request(source, headers=HEADERS), timeout=TIMEOUT) as answer:
        name = source.rpartition("/")[2]
        # None: no bar outside a terminal
        with tqdm.wrapattr(answer, "read", part.left, desc=name, disable=None) as arriving:
            shutil.copyfileobj(arriving, part)


class _Arriving:
    """A file that takes no more bytes than the published file has, and computes their hash."""

    def __init__(self, file: IO[bytes], published: File) -> None:
        self.file, self.left = file, published.size
        self.hash = hashlib.sha256()

    def write(self, content: bytes) -> int:
        """The number of written bytes.

        Raises:
            ValueError: the content is larger than the published file.
        """
        # counted before it is written, so that an endless answer does not fill the disk
        self.left -= len(content)
        if self.left < 0:
            raise ValueError("the file is larger than the published file")
        self.hash.update(content)
        return self.file.write(content)


def _cause(error: Exception) -> str:
    """Why a source did not give the file, in words for the line with all sources."""
    if isinstance(error, ValueError):
        return "another file (an error page, cut short, or changed)"
    if isinstance(error, HTTPError):
        return f"answered {error.code}"
    reason = getattr(error, "reason", error)  # a URLError has the error of the connection
    return getattr(reason, "strerror", None) or type(reason).__name__


def _is_address(source: str) -> bool:
    """Whether a source is an address such as https://..., and not a folder."""
    return "://" in source
