"""The bytes of a user's file: unpacked, as csv, and refused by name if they are no table."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Literal

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import sha256_of, unpacked

PARQUET, ZIP = b"PAR1\x15", (b"PK\x03\x04", b"PK\x05\x06")
PACKINGS: dict[str, tuple[bytes, Callable[[IO[bytes]], Any]]] = {
    # the end of the name -> a pattern of the first bytes, and what opens the content
    ".gz": (rb"\x1f\x8b", gzip.open),
    ".bz2": (rb"BZh[1-9]1AY&SY", bz2.open),
    ".xz": (rb"\xfd7zXZ\x00", lzma.open),
}
OTHER_FORMATS = {  # a pattern of the first bytes of a file -> its format
    rb"\xd0\xcf\x11\xe0": "an Excel workbook of the old format (.xls) or with a password",
    rb"\$FL[23]": "an SPSS file (.sav)",
    rb"\x00{12}\xc2\xea\x81\x60": "a SAS file (.sas7bdat)",
    rb"HEADER RECORD\*{7}": "a SAS transport file (.xpt)",
    rb"<stata_dta>|[i-s][\x01\x02]\x01\x00": "a Stata file (.dta)",
    rb"ARROW1\x00": "a Feather file",
    rb"\x89HDF": "an HDF5 file",
    rb"\x93NUMPY": "a NumPy file",
    rb"\x80[\x02-\x05]": "a pickle file",
    rb"RD[AX][23]\n|X\n\x00\x00": "an R file",
    rb"SQLite format 3|\x00\x01\x00\x00Standard": "a database",
    rb"%PDF": "a PDF document",
    rb"\{\\rtf": "a text document",
    rb"\x89PNG|\xff\xd8\xff": "a picture",
    rb"(?i)\s*<(!doctype html|html)": "a web page",
    rb"\s*<\?xml": "an XML file",
    rb'\s*(\{\s*"|\[\s*[\[{])': "JSON",
}
ARCHIVES = {  # a pattern of the first bytes of a file that must be unpacked -> its format
    rb"\x28\xb5\x2f\xfd": "a Zstandard file (.zst)",
    rb"7z\xbc\xaf": "a 7z archive",
    rb"Rar!\x1a": "a RAR archive",
    rb"[^\x00]{1,100}\x00.{156,}ustar": "a tar archive",
    # what was unpacked already
    rb"PAR1\x15|PK\x03\x04|\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ": "a compressed file in another one",
}
ZIPPED_FORMATS = {  # a file in a zip file -> the format of the zip file
    "xl/workbook.bin": "a binary Excel workbook (.xlsb)",
    "word/document.xml": "a Word document",
    "content.xml": "an OpenDocument file (.ods)",
    "Index/Document.iwa": "a Numbers workbook",
}
WORKBOOK = "xl/workbook.xml"  # a file in every Excel workbook
LONGEST_MARK = 512  # bytes at the beginning that show the format, such as the head of an archive
SAVE_AS_CSV = "save the table as csv, with one line for each record"


def read_bytes(file: str) -> bytes:
    """The content of a file; of a compressed file with one file in it, the file in it.

    A table in a Parquet file or an Excel workbook becomes csv in UTF-8 with commas.

    Raises:
        DpfairError: the file is missing, cannot be read, has another format, or unpacks to far more
            than its size; or the library that reads the format is not installed.
    """
    path = Path(file).expanduser()
    try:
        content = path.read_bytes()
        if content.startswith((PARQUET, *ZIP)):
            return _from_container(file, content)
        opener = _opener(path, content)
        if opener:
            with opener(io.BytesIO(content)) as packed:
                content = unpacked(file, packed, len(content))
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise unreadable(file, error) from error
    _require_text(file, content)
    return content


def _opener(path: Path, beginning: bytes) -> Callable[[IO[bytes]], Any] | None:
    """What opens the content of a compressed file; None for a file that is not compressed."""
    for suffix, (mark, opener) in PACKINGS.items():
        # also by its name, so that a file that is no gzip file is refused as such
        if path.suffix == suffix or re.match(mark, beginning):
            return opener
    return None


def open_bytes(file: str) -> IO[bytes]:
    """The content that `read_bytes` returns, to be read piece by piece.

    Raises:
        DpfairError: as `read_bytes`.
    """
    path = Path(file).expanduser()
    if not path.is_file():  # what is read from a pipe cannot be read again
        return io.BytesIO(read_bytes(file))
    try:
        with path.open("rb") as content:
            beginning = content.read(LONGEST_MARK)
        if not is_plain(path, beginning):
            return io.BytesIO(read_bytes(file))
        _require_text(file, beginning)
        return path.open("rb")
    except OSError as error:
        raise unreadable(file, error) from error


def is_plain(path: Path, beginning: bytes) -> bool:
    """Whether `read_bytes` gives the bytes of the file as they are; `beginning` are the first."""
    return not (beginning.startswith((PARQUET, *ZIP)) or _opener(path, beginning))


def kind_of(file: str) -> Literal["text", "Parquet", "workbook"]:
    """The kind of a table's file; `read_bytes` makes texts of the last two."""
    path = Path(file).expanduser()
    with suppress(OSError, zipfile.BadZipFile):  # reading it raises the error
        if path.is_file():  # what is read from a pipe cannot be read again
            with path.open("rb") as content:
                beginning = content.read(len(PARQUET))
            if beginning == PARQUET:
                return "Parquet"
            if beginning.startswith(ZIP):
                with zipfile.ZipFile(path) as packed:
                    return "workbook" if WORKBOOK in packed.namelist() else "text"
    return "text"


def digest(file: str) -> str:
    """The SHA-256 of the bytes of a file, in hexadecimal digits.

    Raises:
        DpfairError: the file is missing or cannot be read.
    """
    try:
        return sha256_of(Path(file).expanduser())
    except OSError as error:
        raise unreadable(file, error) from error


def _require_text(file: str, content: bytes) -> None:
    """Refuses the content of a file of another format than csv.

    Raises:
        DpfairError: the content has the first bytes of another format.
    """
    beginning = content[:LONGEST_MARK]
    for formats, way_out in (
        (OTHER_FORMATS, SAVE_AS_CSV),
        (ARCHIVES, "unpack it and give the path of the table"),
    ):
        for pattern, name in formats.items():
            if re.match(pattern, beginning, re.DOTALL):
                raise DpfairError(f"{file} is {name} and not a csv table: {way_out}")


# a command reads a file several times, and a large workbook for a minute each time
@lru_cache(maxsize=1)
def _from_container(file: str, content: bytes) -> bytes:
    """The table in a Parquet file or an Excel workbook as csv, or the one file in a zip file.

    Raises:
        DpfairError: the content is of another format, is damaged, or unpacks to far more than its
            size; or the library that reads it is not installed.
        BadZipFile: the content is no zip file.
    """
    # PyArrow and openpyxl are not loaded for a text
    from dpfair_cli.formats import converted_tables

    if content.startswith(PARQUET):
        return converted_tables.of_parquet(file, content)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        names = [one for one in packed.namelist() if not one.endswith("/")]  # without folders
        for part, name in ZIPPED_FORMATS.items():
            if part in names:
                raise DpfairError(f"{file} is {name} and not a csv table: {SAVE_AS_CSV}")
        if WORKBOOK in names:
            return converted_tables.of_workbook(file, content, packed)
        if len(names) != 1:
            raise DpfairError(
                f"{file} must hold one file, got {len(names)}: unpack it and give the path of the "
                "table"
            )
        try:
            with packed.open(names[0]) as one:
                found = unpacked(file, one, len(content))
        except RuntimeError as error:  # also NotImplementedError
            raise DpfairError(
                f"{file} cannot be unpacked ({error}): unpack it and give the path of the table"
            ) from error
    _require_text(file, found)
    return found


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
