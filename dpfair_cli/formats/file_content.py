"""The bytes of a user's file: decompressed, and refused by name if they are no text of a table."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
import zlib
from pathlib import Path
from typing import IO

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import sha256_of

ZIP, GZIP = b"PK\x03\x04", b"\x1f\x8b"
OTHER_FORMATS = {  # the first bytes of a file -> its format
    b"PAR1": "a Parquet file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"SQLite format 3": "a database",
    b"%PDF": "a PDF document",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
}
LONGEST_MARK = 100  # bytes at the beginning that show the format, with blanks before the mark
JSON = re.compile(rb'\{\s*"|\[\s*[\[{]')
SAVE_AS_CSV = "save the table as csv, with one line for each record"


def read_bytes(file: str) -> bytes:
    """The content of a file; of a gzip file or a zip file with one file in it, the file in it.

    Raises:
        DpfairError: the file is missing, cannot be read, or is of another format than csv.
    """
    path = Path(file).expanduser()
    try:
        content = path.read_bytes()
        # also by its name, so that a file that is no gzip file is refused as such
        if content.startswith(GZIP) or path.suffix == ".gz":
            content = gzip.decompress(content)
        # before the check of other formats: a workbook is a zip file too
        elif content.startswith(ZIP):
            content = _unpacked(file, content)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise unreadable(file, error) from error
    other = _other_format(content)
    if other:
        raise DpfairError(f"{file} is {other} and not a csv table: {SAVE_AS_CSV}")
    return content


def open_bytes(file: str) -> IO[bytes]:
    """The content that `read_bytes` returns, to be read piece by piece.

    Raises:
        DpfairError: as `read_bytes`.
    """
    path = Path(file).expanduser()
    if not path.is_file():  # what is read from a pipe cannot be read again
        return io.BytesIO(read_bytes(file))
    try:
        content = path.open("rb")
        beginning = content.read(LONGEST_MARK)
        content.seek(0)
    except OSError as error:
        raise unreadable(file, error) from error
    if path.suffix == ".gz" or beginning.startswith((GZIP, ZIP)) or _other_format(beginning):
        content.close()
        return io.BytesIO(read_bytes(file))
    return content


def digest(file: str) -> str:
    """The SHA-256 of the bytes of a file, in hexadecimal digits.

    Raises:
        DpfairError: the file is missing or cannot be read.
    """
    try:
        return sha256_of(Path(file).expanduser())
    except OSError as error:
        raise unreadable(file, error) from error


def _other_format(content: bytes) -> str:
    """The format of a file with this content; empty for text that can be a table."""
    beginning = content[:LONGEST_MARK].lstrip()  # blanks may stand before the mark of a web page
    for mark, name in OTHER_FORMATS.items():
        if beginning.lower().startswith(mark.lower()):
            return name
    return "JSON" if JSON.match(beginning) else ""


def _unpacked(file: str, content: bytes) -> bytes:
    """The one file in a zip file.

    Raises:
        DpfairError: the zip file is a workbook, or holds no file or several.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [one for one in packed.namelist() if not one.endswith("/")]  # without folders
        if "[Content_Types].xml" in names:
            raise DpfairError(f"{file} is an Excel workbook and not a csv table: {SAVE_AS_CSV}")
        if len(names) != 1:
            raise DpfairError(
                f"{file} must hold one file, got {len(names)}: unpack it and give the path of the "
                "table"
            )
        return packed.read(names[0])


def unreadable(file: str, error: Exception) -> DpfairError:
    """The error for a file that cannot be read, with the reason and what to do."""
    match error:
        case FileNotFoundError():
            return DpfairError(f"{file} does not exist: check the path")
        case IsADirectoryError():
            return DpfairError(f"{file} is a folder: give the path of a file in it")
        case gzip.BadGzipFile():
            return DpfairError(
                f"{file} is not a gzip file although its name ends in .gz: "
                "rename or compress the file"
            )
        case OSError():
            return DpfairError(f"{file} cannot be read: {error.strerror or error}")
    return DpfairError(f"{file} is damaged or truncated: copy or fetch the file again ({error})")
