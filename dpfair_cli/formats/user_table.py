"""Reads a user's table from a text file: the CSV dialect, and the cells as text.

With a given CSV dialect, every row is read independently of the others. Inferring the dialect reads
the data.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.schemas import ColumnType, Numeric
from dpfair_cli.formats.file_content import digest, kind_of, open_bytes, read_bytes
from dpfair_cli.models.tabular.outside_values import MISSING_SIGNS, DistinctTexts, as_number

# our rules of thumb, tried on the tables of tests/made_files.py
SAMPLE = 200  # rows from which separator, heading and decimal sign are inferred
SAMPLE_CHARACTERS = 1_000_000  # length of the beginning of a file with these rows
REGULAR = 0.9  # share of rows with the same number of cells under the right separator
PIECE_BYTES = 2**20  # of a file that is decoded piece by piece
THOUSANDS = 3  # digits after a comma that may be a thousands separator
PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))
# how pandas reads numbers exactly as Python's `float` does; later versions always do
EXACT: dict[str, Any] = {"float_precision": "round_trip"} if PANDAS < (3, 1) else {}

NO_RANGES: Mapping[str, tuple[float, float]] = MappingProxyType({})
SEPARATORS = (",", ";", "\t", "|", " ")  # " " means one or more blanks
BYTE_ORDER_MARKS = {  # first bytes of a file -> its encoding
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+")  # a decimal comma, if no thousands are separated
NUMBER_OR_COMMA_NUMBER = re.compile(r"[+-]?\d*(,\d+)?")


# control character -> visible code; tab and line feed have a meaning in tables
VISIBLE = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


@dataclass(frozen=True)
class TableForm:
    """The CSV dialect of a table."""

    separator: str = ","  # the separator of cells, one of SEPARATORS
    encoding: str = "utf-8"  # the encoding, by a name that Python knows
    header: tuple[str, ...] = ()
    """The names of the columns of a file without a heading; empty if the file has one."""
    decimal: str = "."  # the decimal sign, a point or a comma


CONVERTED = TableForm()  # the dialect in which `read_bytes` gives a Parquet file or a workbook


def find_form(
    file: str,
    *,
    separator: str = "",
    encoding: str = "",
    header: tuple[str, ...] | Literal["first", "none", ""] = "",
) -> TableForm:
    """The CSV dialect of a file, inferred from its bytes except for the parts that are given.

    The encoding depends on all bytes, which are read piece by piece, the rest on the first rows.
    `header` is a list of the column names, "first" (the names are in the first row) or "none".

    Raises:
        DpfairError: the file is missing, is not text, or is not in the given encoding; or the
            separator or the encoding is unknown.
    """
    if separator and separator not in SEPARATORS:
        allowed = ", ".join(map(repr, SEPARATORS))
        raise DpfairError(f"the separator must be one of {allowed}, got {separator!r}")
    kind = kind_of(file)
    if kind != "text":
        separator, encoding = CONVERTED.separator, CONVERTED.encoding
        header = "first" if kind == "Parquet" else header
    encoding = encoding or find_encoding(file)
    beginning = _decoded(file, encoding, most=SAMPLE_CHARACTERS)
    separator = separator or find_separator(beginning)
    # the first rows say enough, however long the table is
    rows = list(islice(split_rows(beginning, separator), SAMPLE))
    if not rows:
        raise DpfairError(f"{file} must be a csv table, but the file has no columns")
    names = _find_header(rows) if header == "" else header
    if isinstance(names, str):
        names = _names_by_place(len(rows[0])) if names == "none" else ()
    return TableForm(separator, encoding, names, _find_decimal(rows[not names :]))


def _as_read(file: str, form: TableForm) -> TableForm:
    """The CSV dialect in which `read_bytes` gives a file that has the dialect `form` as a text.

    A Parquet file has column names of its own, whatever a domain file says about the text.
    """
    kind = kind_of(file)
    if kind == "text":
        return form
    header = () if kind == "Parquet" else form.header
    return replace(form, separator=CONVERTED.separator, encoding=CONVERTED.encoding, header=header)


def describe_form(form: TableForm) -> str:
    """The CSV dialect in words."""
    between = {" ": "blanks", "\t": "tabs"}.get(form.separator, repr(form.separator))
    parts = [f"{between} between cells", form.encoding]
    if form.decimal == ",":
        parts.append("decimal commas")
    names = form.header
    parts.append(f"no heading: columns {names[0]} to {names[-1]}" if names else "a heading")
    return ", ".join(parts)


def read_table(file: str, form: TableForm) -> pd.DataFrame:
    """All cells of a table as text; a cell in MISSING_SIGNS, such as `?`, is missing.

    Raises:
        DpfairError: the file is missing, is not a table, or has no row.
    """
    table = read_cells(file, read_heading(file, form), form)
    # only without a domain file: with one, a sign is a cell like any other
    return table.mask(table.isin(MISSING_SIGNS))


def read_columns(
    file: str, types: Mapping[str, ColumnType | None], form: TableForm
) -> pd.DataFrame:
    """The columns of a table that `types` names, as numbers or as text without surrounding blanks.

    A column is numeric if its type is, and if all its cells are numbers in the range of this type.
    Bytes that cannot be decoded, and rows with other numbers of cells, raise no error.

    Raises:
        DpfairError: the file is missing, is not a table, lacks one of the columns, or has no row.
    """
    form, heading = _as_read(file, form), heading_with(types, file, form)
    ranges = {
        name: (kind.low, kind.high)
        for name, kind in types.items()
        if isinstance(kind, Numeric) and form.decimal == "."
    }
    return columns_of(read_bytes(file), file, heading, list(types), form, ranges)


def heading_with(names: Collection[str], file: str, form: TableForm) -> list[str]:
    """The names of all columns of a table, which has the columns `names`.

    Raises:
        DpfairError: the table lacks one of the columns.
    """
    heading = read_heading(file, form)
    for name in names:
        if name not in heading:
            # names of another encoding are unknown too, and their cause comes first
            _require_encoding(file, form)
            lacking = f"{file} lacks the column {name!r}"
            if len(heading) == 1 and any(sign in heading[0] for sign in SEPARATORS):
                raise DpfairError(
                    f"{lacking}: the heading {heading[0]!r} is one column, because the separator "
                    f"of the table is {form.separator!r}; correct `separator` in the domain file"
                )
            raise DpfairError(f"{lacking}: {nearest(name, heading)}")
    return heading


def _require_encoding(file: str, form: TableForm) -> None:
    """Refuses a file whose encoding differs from that of `form`.

    Raises:
        DpfairError: the encoding differs, or the file is not text; the message names the encoding
            that was found.
    """
    found = find_encoding(file)
    _decoded(file, found, most=0)
    differs = codecs.lookup(found) != codecs.lookup(form.encoding)
    if differs and found in BYTE_ORDER_MARKS.values():
        way_out = f"write `encoding: {found}` in the domain file"
        raise DpfairError(f"{file} must be in the encoding {form.encoding}, got {found}: {way_out}")


def read_heading(file: str, form: TableForm) -> list[str]:
    """The names of the columns of a table, from the first row or the CSV dialect `form`.

    An empty name becomes column<place>, and a repeated name gets a number.

    Raises:
        DpfairError: the file is missing or is not a table.
    """
    form = _as_read(file, form)
    if form.header:
        return list(form.header)
    beginning = plain_bytes(_first_bytes(file), form.encoding)  # the names need no more of the file
    table = _parsed(file, beginning, form, header=None, nrows=1, dtype=str)
    (first,) = table.fillna("").to_numpy().tolist()
    seen: Counter[str] = Counter()
    names = []
    for place, text in enumerate(first, start=1):
        name = text.strip() or f"column{place}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return names


def _first_bytes(file: str) -> bytes:
    """The first bytes of a file, with the whole first row unless that is very long."""
    with open_bytes(file) as content:
        beginning = content.read(SAMPLE_CHARACTERS)
    # a first row of a megabyte is no table, or a very wide one
    return beginning if b"\n" in beginning.strip() else read_bytes(file)


def nameless(heading: Sequence[str], form: TableForm) -> set[str]:
    """The columns that have no name in the heading of the file.

    `heading` are the names of all columns, including generated ones.
    """
    return set() if form.header else set(heading) & set(_names_by_place(len(heading)))


def read_cells(file: str, heading: Sequence[str], form: TableForm) -> pd.DataFrame:
    """All cells of a table with this heading, as text without surrounding blanks.

    Missing cells are empty, and a blank line is a row of empty cells, so that no content of a row
    changes the number of rows. Every column is a pandas Categorical whose categories are its
    different texts in order of appearance.

    The last table is kept, since commands read a table to show it and again to fit to it.

    Raises:
        DpfairError: the file is missing, is not a table, or has no row.
    """
    return _cells_of_content(digest(file), file, tuple(heading), _as_read(file, form))


# the digest is part of the key: a file that changed is read again
@lru_cache(maxsize=1)
def _cells_of_content(
    digest: str, file: str, heading: tuple[str, ...], form: TableForm
) -> pd.DataFrame:
    return columns_of(read_bytes(file), file, heading, heading, form)


def columns_of(
    content: bytes,
    file: str,
    heading: Sequence[str],
    names: Collection[str],
    form: TableForm,
    ranges: Mapping[str, tuple[float, float]] = NO_RANGES,
) -> pd.DataFrame:
    """The columns `names` of a table with this content and heading, as `read_columns`.

    `file` is the name of the table. `ranges` has the least and the largest number of each column
    that is numeric if all its cells are in this range; the other columns are text.

    Raises:
        DpfairError: the content is not a table, or has no row.
    """
    text = plain_bytes(content, form.encoding)
    read = _as_written(text, file, heading, names, form, guessed=ranges)
    if read.empty:
        raise DpfairError(f"{file} has a heading only: add rows below the heading")
    columns: dict[str, Any] = {}
    # a mapping, because to take a column out of a frame takes time for each other column
    written = dict(read.items())
    del read
    for name in names:
        cells = written.pop(name)  # taken out, so that no two forms of all cells are in memory
        columns[name] = _in_range(cells, *ranges[name]) if name in ranges else _texts(cells, form)
    refused = [name for name, column in columns.items() if column is None]
    if refused:  # a second pass, over these columns alone
        read = _as_written(text, file, heading, refused, form, guessed=())
        columns |= {name: _texts(read[name], form) for name in refused}
    return pd.DataFrame(columns, copy=False)


def _as_written(
    text: bytes,
    file: str,
    heading: Sequence[str],
    names: Collection[str],
    form: TableForm,
    *,
    guessed: Collection[str],
) -> pd.DataFrame:
    """The cells of the columns `names` as they are written; pandas guesses the types of some."""
    how: dict[str, Any] = {
        "header": None if form.header else 0,
        "names": list(heading),
        "usecols": list(names),
        "index_col": False,
        "skip_blank_lines": False,
        # parts are faster, but without a heading a part of short rows alone is refused
        "low_memory": not form.header,
        "dtype": {name: object for name in names if name not in guessed},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # numbers and texts in a column
        return _parsed(file, text, form, **how, **EXACT)


def _in_range(cells: pd.Series, low: float, high: float) -> Floats | None:
    """The numbers of a column, (n,); None if a cell is no number from `low` to `high`."""
    if cells.dtype.kind not in "iuf":
        return None
    numbers = np.add(cells.to_numpy(), 0.0)  # 0.0 in place of -0.0, as `moved_inside` has it
    inside = not len(numbers) or (low <= numbers.min() and numbers.max() <= high)
    return numbers if inside else None  # a NaN is not inside


def _texts(cells: pd.Series, form: TableForm) -> pd.Categorical:
    """The cells of a column as plain texts; missing cells of a short row are empty."""
    codes, found = pd.factorize(cells.to_numpy())  # texts in order of appearance; -1 if missing
    missing = [""] if (codes < 0).any() else []  # the last of the texts
    texts = _plain_cells([*found.tolist(), *missing], form)
    return DistinctTexts(texts, codes).replaced(texts)


def _plain_cells(texts: list[str], form: TableForm) -> list[str]:
    """The cells `texts` of a table without surrounding blanks, with a point as the decimal sign."""
    stripped = [text.strip() for text in texts]
    if form.decimal == ".":
        return stripped
    return [text.replace(",", ".") if COMMA_NUMBER.fullmatch(text) else text for text in stripped]


def _parsed(file: str, text: bytes, form: TableForm, **how: Any) -> pd.DataFrame:
    """What pandas.read_csv returns for the text of a table; `how` are its further arguments.

    Raises:
        DpfairError: the text is not a table.
    """
    how |= {"sep": r"\s+" if form.separator == " " else form.separator}
    # NA is a text like any other; pandas is slower if it may skip blanks
    how |= {"skipinitialspace": b" " in text, "na_filter": False}
    try:
        table: pd.DataFrame = pd.read_csv(io.BytesIO(text), **how)
    except ValueError as error:
        raise DpfairError(f"{file} must be a csv table: {str(error).splitlines()[0]}") from error
    return table


def plain_bytes(content: bytes, encoding: str) -> bytes:
    """The text of a table in UTF-8, as `plain_text` gives it, also if bytes cannot be decoded."""
    # the bytes of a StringIO would take four for each character
    return plain_text(content.decode(encoding, errors="replace")).encode(errors="replace")


def plain_text(text: str) -> str:
    """The text of a table, whose rows end with a line feed, without other control characters.

    Lines above the heading are left out. The end of the heading is the end of every row. Another
    carriage return is part of a cell, where it becomes a blank. Every other control character,
    which a terminal could obey, becomes its code, such as \\x1b.
    """
    # the mark of an encoding that was named without it
    text = text.removeprefix("\ufeff").lstrip("\r\n")
    if re.match(r"[^\r\n]*\r(?!\n)", text):  # the heading ends with a carriage return
        text = text.replace("\r", "\n")
    elif "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", " ")
    return text.translate(VISIBLE)


def find_encoding(file: str) -> str:
    """The encoding of a text file, from its bytes.

    The encoding is given by a byte order mark; without such a mark it is utf-8 if the bytes are
    valid utf-8, and latin-1 otherwise.
    """
    with open_bytes(file) as content:
        first = content.read(max(map(len, BYTE_ORDER_MARKS)))
    for mark, name in BYTE_ORDER_MARKS.items():
        if first.startswith(mark):
            return name
    try:
        for _ in _pieces(file, "utf-8"):  # until a byte is no utf-8
            pass
        return "utf-8"
    except UnicodeDecodeError:
        return "latin-1"  # which decodes any bytes, and so comes last


def read_text(file: str) -> str:
    """The text of a file in the encoding that find_encoding infers, as `plain_text` gives it.

    Raises:
        DpfairError: the file is missing or is not text.
    """
    return plain_text(_decoded(file, find_encoding(file)))


def _pieces(file: str, encoding: str) -> Iterator[str]:
    """Yields the text of a file in pieces, so that a long table is never in memory as a whole."""
    with open_bytes(file) as content:
        yield from codecs.iterdecode(iter(partial(content.read, PIECE_BYTES), b""), encoding)


def _decoded(file: str, encoding: str, *, most: int = sys.maxsize) -> str:
    """The first `most` characters of a file, all of which is decoded.

    Raises:
        DpfairError: the content is not in this encoding, or holds NUL bytes.
    """
    text, holds_nul = "", False
    try:
        "a".encode(encoding)  # other codecs than those of texts, such as hex, are refused here
        for piece in _pieces(file, encoding):
            text += piece[: most - len(text)]
            holds_nul = holds_nul or "\0" in piece
    except (LookupError, UnicodeError) as error:
        raise DpfairError(
            f"{file} cannot be decoded in the encoding {encoding}: {error}"
        ) from error
    if holds_nul:
        raise DpfairError(
            f"{file} contains NUL bytes and so is not a text file in a supported encoding: "
            "save the table as csv in UTF-8"
        )
    return text


def split_rows(text: str, separator: str) -> Iterator[list[str]]:
    """Yields the cells, without surrounding blanks, of every row of a csv text that is not blank.

    Raises:
        DpfairError: a cell has more than 131,072 characters.
    """
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if separator == " ":
                cells = [cell for cell in cells if cell]
            if cells:  # a line of blanks has no cells
                yield cells
    except csv.Error as error:
        raise DpfairError(
            f"row {rows.line_num} of the table cannot be read: {error}; is a quote not closed?"
        ) from error


def find_separator(text: str, *, width: int = 0) -> str:
    """The separator that gives most rows of a csv text the same number of cells, at least 2.

    If a separator gives most rows `width` cells, the result is the first such separator. If there
    is no separator of either kind, the result is a comma.
    """

    def regular_width(separator: str) -> int:
        widths = Counter(map(len, islice(split_rows(text, separator), SAMPLE)))
        if not widths:
            return 0
        width, rows = widths.most_common(1)[0]
        # some rows of real tables are broken
        return width if rows >= REGULAR * widths.total() else 0

    fitting = [one for one in SEPARATORS if width and regular_width(one) == width]
    if fitting:
        return fitting[0]
    found = max(SEPARATORS, key=regular_width)  # the first of equals, so that a comma wins
    return found if regular_width(found) > 1 else ","


def _find_header(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Generated column names if the first of the rows is not a heading; otherwise empty.

    A row is not a heading if it contains a number, or if each of its cells recurs in its column.
    """
    first, *others = rows
    repeated = bool(others)
    for place, cell in enumerate(first):
        column = {row[place] for row in others if place < len(row)}
        repeated = repeated and cell in column
    if repeated or any(as_number(cell) == as_number(cell) for cell in first):
        return _names_by_place(len(first))
    return ()


def _names_by_place(count: int) -> tuple[str, ...]:
    """The names column1, column2, ... of columns without a name."""
    return tuple(f"column{place}" for place in range(1, count + 1))


def _find_decimal(rows: Sequence[Sequence[str]]) -> str:
    """The decimal sign in the rows: a comma if a column has only decimal commas, else a point.

    Empty cells are ignored. A column whose commas are all followed by three digits is ignored too,
    since the commas may separate thousands.
    """
    for place in range(max(map(len, rows), default=0)):
        cells = [row[place] for row in rows if place < len(row) and row[place] not in MISSING_SIGNS]
        digits = {len(cell.partition(",")[2]) for cell in cells if COMMA_NUMBER.fullmatch(cell)}
        numbers = all(NUMBER_OR_COMMA_NUMBER.fullmatch(cell) for cell in cells)
        if numbers and digits - {THOUSANDS}:
            return ","
    return "."
