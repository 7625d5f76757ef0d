"""The CSV dialect of a table that is not read into memory.

It is the dialect that `find_form` infers from the whole table: the encoding decides over all bytes
of the file, and everything else over its beginning.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.writing import write_bytes
from dpfair_cli.formats.file_content import unreadable
from dpfair_cli.formats.table_parts import PART_BYTES, require_byte_encoding, require_uncompressed
from dpfair_cli.formats.user_table import BYTE_ORDER_MARKS, TableForm, find_form

PIECE_BYTES = 2**20  # of a file whose bytes are decoded one piece after the other


def find_long_form(
    file: str,
    *,
    separator: str = "",
    encoding: str = "",
    header: tuple[str, ...] | Literal["first", "none", ""] = "",
) -> TableForm:
    """The CSV dialect that `find_form` infers, with PART_BYTES of the table in memory.

    Raises:
        DpfairError: as `find_form`, or the table cannot be read in parts.
    """
    path = Path(file).expanduser()
    try:
        with path.open("rb") as table:
            beginning = table.read(PART_BYTES)
        require_uncompressed(beginning, file)
        found = encoding or _encoding(path, beginning)
        _require_text(path, file, found)
        require_byte_encoding(found)
    except OSError as error:
        raise unreadable(file, error) from error
    rows = beginning[: beginning.rfind(b"\n") + 1] or beginning
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "beginning.csv"
        write_bytes(copy, rows)
        try:
            return find_form(str(copy), separator=separator, encoding=found, header=header)
        except DpfairError as error:
            raise DpfairError(str(error).replace(str(copy), file)) from error


def _encoding(path: Path, beginning: bytes) -> str:
    """The encoding of a file, as `find_encoding` infers it from all bytes."""
    for mark, name in BYTE_ORDER_MARKS.items():
        if beginning.startswith(mark):
            return name
    try:
        for _ in _texts(path, "utf-8"):
            pass
    except UnicodeError:
        return "latin-1"
    return "utf-8"


def _require_text(path: Path, file: str, encoding: str) -> None:
    """Refuses a file that is not text in an encoding.

    Raises:
        DpfairError: the content is not in this encoding, or holds NUL bytes.
    """
    try:
        holds_nul = any("\0" in text for text in _texts(path, encoding))
    except (LookupError, UnicodeError) as error:
        raise DpfairError(
            f"{file} cannot be decoded in the encoding {encoding}: {error}"
        ) from error
    if holds_nul:
        raise DpfairError(
            f"{file} contains NUL bytes and so is not a text file in a supported encoding: "
            "save the table as csv in UTF-8"
        )


def _texts(path: Path, encoding: str) -> Iterator[str]:
    """Yields the text of a file, piece by piece.

    Raises:
        LookupError: the encoding is unknown.
        UnicodeError: the content is not in this encoding.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    with path.open("rb") as table:
        while content := table.read(PIECE_BYTES):
            yield decoder.decode(content)
    yield decoder.decode(b"", final=True)
