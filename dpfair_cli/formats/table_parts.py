"""A user's table in parts: ranges of bytes, each of which is read and encoded alone.

Every part begins and ends at the end of a line outside of quotes. A part is read as the table would
be that has the heading of the file and the rows of the part. Its rows therefore become the same
records as when the whole table is read.

Quotes decide where a row ends. The number of quotes up to a cut is even, as in every table whose
quotes are closed and whose quotes within cells are doubled. The reader refuses a part that ends
within a quoted cell. If it accepts a part, the next part thus begins with a row, and no row is
misread in silence, also in a table with stray quotes.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.writing import write_bytes
from dpfair_cli.formats.file_content import GZIP, ZIP, unreadable
from dpfair_cli.formats.user_records import RecordsSchema, encode_cells, with_empty_roles
from dpfair_cli.formats.user_table import TableForm, read_columns, read_heading
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.tabular.encoding import Encoding

PART_BYTES = 2**22  # about 50,000 rows of 20 columns, which take 100 MB while they are read
BYTE_VALUES = bytes(range(256))
MANY = "of a table that is read in parts"


@dataclass(frozen=True)
class TablePart:
    """A range of bytes of a table with whole rows."""

    start: int
    """The place of the first byte in the file."""
    stop: int
    """The place after the last byte in the file."""
    sha256: str
    """The SHA-256 of the bytes."""


@dataclass(frozen=True)
class PartReader:
    """What is needed to read the cells of a part of a table, without the rest of the table."""

    file: str
    """The path of the table."""
    heading: bytes
    """The heading, in the encoding of the table, which is put before the rows of a part."""
    form: TableForm
    """The CSV dialect of a part with its heading."""

    def cells(self, part: TablePart, names: Collection[str]) -> pd.DataFrame:
        """The columns `names` of a part of the table, as text, (n, columns).

        Raises:
            DpfairError: the file is missing or has another content at this place, lacks a column,
                or the part ends within a quoted cell.
        """
        content = self.content(part)
        with TemporaryDirectory() as folder:
            # a file with the heading, so that a part is read by the same code as a whole table
            copy = Path(folder) / "part.csv"
            write_bytes(copy, content)
            try:
                return read_columns(str(copy), names, self.form)
            except DpfairError as error:
                cause = str(error).replace(str(copy), self.file)
                place = f"bytes {part.start:,} to {part.stop:,}"
                raise DpfairError(f"{cause} ({place}; is a quote not closed?)") from error

    def names(self) -> list[str]:
        """The names of the columns of the table."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "heading.csv"
            write_bytes(copy, self.heading)
            return read_heading(str(copy), self.form)

    def content(self, part: TablePart) -> bytes:
        """The heading and the bytes of a part.

        Raises:
            DpfairError: the file is missing, or the bytes are not those that were cut.
        """
        try:
            with Path(self.file).open("rb") as table:
                table.seek(part.start)
                content = table.read(part.stop - part.start)
        except OSError as error:
            cause = error.strerror or error
            raise DpfairError(
                f"a worker cannot read {self.file} ({cause}): the table must be on every worker "
                "under the same path"
            ) from error
        # a part may be read minutes after it was cut, and on another machine
        if sha256(content).hexdigest() != part.sha256:
            raise DpfairError(
                f"{self.file} changed while the command ran, or is another file on a worker: "
                "give every worker the same file and run the command again"
            )
        return self.heading + content


@dataclass(frozen=True)
class RecordsReader:
    """What is needed to read a part of a table as records, without the rest of the table."""

    table: PartReader
    """Reads the cells of any part as texts."""
    known: RecordsSchema
    """The public schema of the columns."""
    encoding: Encoding
    """The encoding of the columns as features."""
    names: tuple[str, ...]
    """The columns that are read; the label and the protected column are empty if not read."""

    @property
    def domain(self) -> Domain:
        """The public facts about the records of every part."""
        # an empty row has the same columns as every other row, because they are public
        blank = pd.DataFrame({name: [""] for name in self.names})
        return self.encoded(blank).domain

    def records(self, part: TablePart) -> Records:
        """The records of a part of the table.

        Raises:
            DpfairError: as `PartReader.cells`.
        """
        return self.encoded(self.cells(part))

    def cells(self, part: TablePart) -> pd.DataFrame:
        """The cells of the columns that are read of a part of the table, as text, (n, columns).

        Raises:
            DpfairError: as `PartReader.cells`.
        """
        return self.table.cells(part, self.names)

    def encoded(self, cells: pd.DataFrame) -> Records:
        """The records of the cells of a part."""
        complete = with_empty_roles(cells, self.known)
        return encode_cells(complete, self.known, encoding=self.encoding)


def part_reader(file: str, form: TableForm) -> tuple[PartReader, int]:
    """The reader of the parts of a table, and the place of the first row below the heading.

    Raises:
        DpfairError: the file is missing, compressed, or cannot be cut at bytes of line ends.
    """
    path = Path(file).expanduser().resolve()
    require_byte_encoding(form.encoding)
    try:
        with path.open("rb") as table:
            lead, first = _first_row(table, file)
    except OSError as error:
        raise unreadable(file, error) from error
    if not form.header:
        return PartReader(str(path), lead + first, form), len(lead) + len(first)
    end = "\r\n" if first.endswith(b"\r\n") else "\n"
    # a table without a heading gets one, with the line ends of its rows
    heading = io.StringIO(newline="")
    csv.writer(heading, delimiter=form.separator, lineterminator=end).writerow(form.header)
    written = heading.getvalue().encode(form.encoding)
    return PartReader(str(path), written, replace(form, header=())), len(lead)


def _first_row(table: IO[bytes], file: str) -> tuple[bytes, bytes]:
    """What stands above the first row of a table, such as blank lines, and the first row.

    Raises:
        DpfairError: the table is compressed, or its lines do not end with a line feed.
    """
    beginning = table.read(PART_BYTES)
    require_uncompressed(beginning, file)
    # the byte order mark stays above the heading, where readers expect it
    mark = codecs.BOM_UTF8 if beginning.startswith(codecs.BOM_UTF8) else b""
    rows = beginning.removeprefix(mark).lstrip(b"\r\n")
    lead = beginning[: len(beginning) - len(rows)]
    first = re.match(rb"[^\r\n]*(\r?\n|$)", rows)
    if first is None:
        raise DpfairError(f"the lines {MANY} must end with a line feed: convert {file}")
    return lead, first[0]


def require_uncompressed(beginning: bytes, file: str) -> None:
    """Refuses a compressed file, by the bytes at its beginning.

    Raises:
        DpfairError: the file is compressed.
    """
    if beginning.startswith((GZIP, ZIP)):
        raise DpfairError(
            f"{file} is compressed, and a table is read in parts only if it is not: unpack the file"
        )


def require_byte_encoding(encoding: str) -> None:
    """Refuses an encoding in which the byte of a line feed can be part of another character.

    Raises:
        DpfairError: the encoding is neither UTF-8 nor has one byte for each character.
    """
    name = codecs.lookup(encoding).name
    if name in ("utf-8", "utf-8-sig"):
        return
    try:
        single = len(BYTE_VALUES.decode(name, errors="replace")) == len(BYTE_VALUES)
    except (LookupError, UnicodeError):
        single = False
    if not single:
        raise DpfairError(
            f"the encoding {MANY} must be utf-8 or have one byte for each character, got "
            f"{encoding}: convert the table to utf-8"
        )


def cut(reader: PartReader, start: int, *, size: int = PART_BYTES) -> Iterator[TablePart]:
    """Yields the parts of a table from the byte `start`; each has about `size` bytes.

    Raises:
        DpfairError: a row has more than `size` bytes, or there is no row.
    """
    first = start
    with Path(reader.file).open("rb") as table:
        table.seek(start)
        while content := _whole_rows(table, size):
            stop = start + len(content)
            if not content.endswith(b"\n") and table.read(1):
                raise DpfairError(
                    f"a row {MANY} must have at most {size:,} bytes: see {reader.file} before "
                    f"byte {stop:,}"
                )
            yield TablePart(start, stop, sha256(content).hexdigest())
            start = stop
    if start == first:
        raise DpfairError(f"{reader.file} has a heading only: add rows below the heading")


def _whole_rows(table: IO[bytes], size: int) -> bytes:
    """The next bytes of a table: `size` of them and the rest of the last row.

    The row ends at a line end with an even number of quotes before it, or where it is too long.
    """
    lines = [table.read(size), table.readline(size)]
    quotes = sum(line.count(b'"') for line in lines)
    length = 0
    while quotes % 2 and length < size and (line := table.readline(size)):
        lines.append(line)
        quotes += line.count(b'"')
        length += len(line)
    return b"".join(lines)
