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
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_text
from dpfair_cli.contracts.schemas import ColumnType
from dpfair_cli.formats.domain_draft import (
    ColumnTexts,
    Roles,
    TableDraft,
    doubled_names,
    drafted,
    row_widths,
    texts_of,
)
from dpfair_cli.formats.file_content import LONGEST_MARK, is_plain, unreadable
from dpfair_cli.formats.profiles import (
    BOUNDS,
    TableProfile,
    counts_of_groups,
    describe_outside,
    facts_of_records,
    profile_of_records,
)
from dpfair_cli.formats.user_records import RecordsSchema, encode_cells, with_named_labels
from dpfair_cli.formats.user_table import (
    TableForm,
    columns_of,
    heading_with,
)
from dpfair_cli.kinds.records import Domain, Records
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.outside_values import OutsideCells, cells_outside, distinct_texts

PART_BYTES = 2**22  # about 50,000 rows of 20 columns, which take 100 MB while they are read
BYTE_VALUES = bytes(range(256))
MANY = "of a table that is read in parts"


@dataclass(frozen=True)
class TablePart:
    """A range of bytes of a table with whole rows."""

    start: int  # the place of the first byte in the file
    stop: int  # the place after the last byte in the file
    sha256: str  # the SHA-256 of the bytes


@dataclass(frozen=True)
class PartReader:
    """What is needed to read the cells of a part of a table, without the rest of the table."""

    file: str  # the path of the table
    form: TableForm  # the CSV dialect of the table
    names: tuple[str, ...]  # the names of all columns
    heading: bytes
    """The heading, in the encoding of the table, which is put before the rows of a part."""

    def cells(self, part: TablePart, names: Collection[str]) -> pd.DataFrame:
        """The columns `names` of a part of the table, as text, (n, columns).

        Raises:
            DpfairError: the file is missing or has another content at this place, or the part ends
                within a quoted cell.
        """
        # with the heading, a part is read as a whole table is, whose first blank lines do not count
        content, form = self.heading + self.content(part), replace(self.form, header=())
        try:
            return columns_of(content, self.file, self.names, names, form)
        except DpfairError as error:
            place = f"bytes {part.start:,} to {part.stop:,}"
            raise DpfairError(f"{error} ({place}; is a quote not closed?)") from error

    def content(self, part: TablePart) -> bytes:
        """The bytes of a part.

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
        return content


@dataclass(frozen=True)
class RecordsReader:
    """What is needed to read a part of a table as records, without the rest of the table."""

    table: PartReader  # reads the cells of any part as texts
    known: RecordsSchema  # the public schema of the columns
    encoding: Encoding  # the encoding of the columns as features
    names: tuple[str, ...]
    """The columns that are read; the label and the protected column are empty if not read."""

    @property
    def domain(self) -> Domain:
        """The public facts about the records of every part."""
        # an empty row has the same columns as every other row, because they are public
        return self.encoded(pd.DataFrame({name: [""] for name in self.names})).domain

    def records(self, part: TablePart) -> Records:
        """The records of a part of the table.

        Raises:
            DpfairError: as `PartReader.cells`.
        """
        return self.encoded(self.cells(part))

    def cells(self, part: TablePart) -> pd.DataFrame:
        """The cells of a part of the table, with the names of its labels.

        Raises:
            DpfairError: as `PartReader.cells`.
        """
        cells, schema = self.table.cells(part, self.names), self.known.schema
        return with_named_labels(cells, schema) if schema.label in self.names else cells

    def encoded(self, cells: pd.DataFrame) -> Records:
        """The records of the cells of a part."""
        return encode_cells(cells, self.known, encoding=self.encoding)


def part_reader(file: str, form: TableForm, wanted: Collection[str] = ()) -> tuple[PartReader, int]:
    """The reader of the parts of a table, and the place of the first row below the heading.

    Raises:
        DpfairError: the file is missing, compressed, or cannot be cut at bytes of line ends; or
            lacks one of the `wanted` columns.
    """
    require_plain(file)
    path = Path(file).expanduser().resolve()  # workers have other working folders
    _require_byte_encoding(form.encoding)
    try:
        with path.open("rb") as table:
            lead, first = _first_row(table, file)
    except OSError as error:
        raise unreadable(file, error) from error
    names = tuple(heading_with(wanted, file, form))
    if not form.header:
        return PartReader(str(path), form, names, lead + first), len(lead) + len(first)
    # a table without a heading gets one, with the line ends of its rows
    end = "\r\n" if first.endswith(b"\r\n") else "\n"
    heading = io.StringIO(newline="")
    csv.writer(heading, delimiter=form.separator, lineterminator=end).writerow(names)
    return PartReader(str(path), form, names, heading.getvalue().encode(form.encoding)), len(lead)


def require_plain(file: str) -> None:
    """Refuses a table that is not plain csv, before such a table is unpacked in memory.

    Raises:
        DpfairError: the file is missing, compressed, a Parquet file or a workbook.
    """
    path = Path(file).expanduser()
    try:
        with path.open("rb") as table:
            beginning = table.read(LONGEST_MARK)
    except OSError as error:
        raise unreadable(file, error) from error
    if not is_plain(path, beginning):
        raise DpfairError(
            f"{file} is compressed or no csv file, and a table is read in parts only if it is "
            "plain csv: unpack the file, or save the table as csv"
        )


def _first_row(table: IO[bytes], file: str) -> tuple[bytes, bytes]:
    """What stands above the first row of a table, such as blank lines, and the first row.

    Raises:
        DpfairError: the lines of the table do not end with a line feed.
    """
    beginning = table.read(PART_BYTES)
    # the byte order mark stays above the heading, where readers expect it
    mark = codecs.BOM_UTF8 if beginning.startswith(codecs.BOM_UTF8) else b""
    rows = beginning.removeprefix(mark).lstrip(b"\r\n")
    lead = beginning[: len(beginning) - len(rows)]
    first = re.match(rb"[^\r\n]*(\r?\n|$)", rows)
    if first is None:
        raise DpfairError(f"the lines {MANY} must end with a line feed: convert {file}")
    return lead, first[0]


def _require_byte_encoding(encoding: str) -> None:
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
    lines = [table.read(size), table.readline(size)]  # then the cut is at the end of a line
    quotes = sum(line.count(b'"') for line in lines)
    length = 0
    while quotes % 2 and length < size and (line := table.readline(size)):
        lines.append(line)
        quotes += line.count(b'"')
        length += len(line)
    return b"".join(lines)


@dataclass(frozen=True, eq=False)
class PartCounts:
    """The counts of a part of a table, or of several parts together."""

    records: Ints  # the number of records with each group and label, (groups, 2)
    outside: Mapping[str, OutsideCells]  # the cells that the schema does not allow, by column


def counts_of(
    reader: RecordsReader, compared: Mapping[str, ColumnType], part: TablePart
) -> PartCounts:
    """The counts of a part of a table; `compared` has the types of the columns to compare."""
    cells = reader.cells(part)
    return PartCounts(counts_of_groups(reader.encoded(cells)), cells_outside(cells, compared))


def outside_of(parts: Sequence[PartCounts]) -> dict[str, OutsideCells]:
    """The cells of each column that the schema does not allow, of all parts together."""
    found = dict(parts[0].outside)
    for part in parts[1:]:
        found = {name: cells.followed_by(part.outside[name]) for name, cells in found.items()}
    return found


def parts_profile(reader: RecordsReader, parts: Sequence[PartCounts]) -> TableProfile:
    """The profile of a table from the counts of its parts; it has no question about the cells."""
    counts = np.sum([part.records for part in parts], axis=0)  # (groups, 2)
    n, outside = int(counts.sum()), sum(cells.count for cells in outside_of(parts).values())
    pieces = ", in 1 part" if len(parts) == 1 else f", in {len(parts):,} parts"
    domain = reader.domain
    facts = {
        **facts_of_records(reader.known, domain, counts, parts=pieces),
        "bounds": BOUNDS[reader.known.schema.bounds],
        "outside": describe_outside(outside, n * len(reader.known.compared_types)),
    }
    return profile_of_records(facts, (), domain, n)


@dataclass(frozen=True, eq=False)
class PartTexts:
    """What a draft needs to know of a part of a table."""

    columns: tuple[ColumnTexts, ...]
    """The different texts of each column, in the order of the heading."""
    widths: Counter[int]  # how many rows of the part have each number of cells


def texts_of_part(reader: PartReader, part: TablePart) -> PartTexts:
    """The texts of all columns in a part of a table.

    Raises:
        DpfairError: as `PartReader.cells`.
    """
    cells = reader.cells(part, reader.names)
    columns = tuple(texts_of(distinct_texts(cells[name])) for name in reader.names)
    return PartTexts(columns, row_widths(reader.content(part), reader.form, len(reader.names)))


def drafted_from_parts(reader: PartReader, parts: Iterable[PartTexts], roles: Roles) -> TableDraft:
    """The proposed interpretation of a table with these parts.

    A draft needs how often each text occurs in a column. Only the texts of one column are in memory
    at a time; those of the other columns are in files of a temporary folder.

    Raises:
        DpfairError: the label or the protected column has only one value.
    """
    form, names = reader.form, reader.names
    widths = Counter() if form.header else row_widths(reader.heading, form, len(names))
    with TemporaryDirectory() as folder:
        number = 0
        # as they come from the workers, in their order
        for number, part in enumerate(parts, start=1):
            widths += part.widths
            for place, column in enumerate(part.columns):
                content = {"counts": column.counts, "digest": column.digest.hex()}
                write_text(_file(folder, place, number), json.dumps(content))
        columns = _whole_columns(folder, len(names), number)
        twice = doubled_names(reader.file, form)
        return drafted(form, names, columns, widths, roles, twice=twice)


def _whole_columns(folder: str, columns: int, parts: int) -> Iterator[ColumnTexts]:
    """Yields the texts of each column from the files of its parts in `folder`."""
    for place in range(columns):
        counts: Counter[str] = Counter()
        digest = sha256()
        for number in range(1, parts + 1):
            found = json.loads(_file(folder, place, number).read_text(encoding="utf-8"))
            counts.update(found["counts"])
            digest.update(bytes.fromhex(found["digest"]))
        yield ColumnTexts(counts, digest.digest())


def _file(folder: str, column: int, part: int) -> Path:
    """The file of the texts of a column in a part."""
    return Path(folder, f"{column}-{part}.json")
