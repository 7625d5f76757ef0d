"""A user's own file of a table: how it is written, found out or as said, and its cells as text.

A TableForm says what stands between cells, the encoding, and the names of columns where the file
has no heading. Given a form, every cell is read by itself: no row moves another one. Finding a form
out reads the data.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.models.tabular.outside_values import as_number

SEPARATORS = (",", ";", "\t", "|", " ")  # " ": any run of blanks
SAMPLE = 200  # rows from which separator, heading and decimal sign are told
SAMPLE_CHARACTERS = 1_000_000
REGULAR = 0.9  # of the rows have one number of cells, for the right separator
MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}  # at the beginning of a file
COMMA_NUMBER = re.compile(r"[+-]?\d*,\d+")
NUMBER_OR_COMMA_NUMBER = re.compile(r"[+-]?\d*(,\d+)?")
THOUSANDS = 3  # digits behind a comma that may as well be a thousands sign
EMPTY = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "nan",
    "NaN",
    "null",
    "NULL",
    "None",
    "<NA>",
)  # usual signs of no value


@dataclass(frozen=True)
class TableForm:
    """How a file of a table is written; `header` has the names of the columns if the file has no
    heading.
    """

    separator: str = ","
    encoding: str = "utf-8"
    header: tuple[str, ...] = ()
    decimal: str = "."


def find_form(
    file: str,
    *,
    separator: str = "",
    encoding: str = "",
    header: tuple[str, ...] | Literal["first", "none", ""] = "",
) -> TableForm:
    """The form of a file, read from its bytes but for what is said of it.

    `header` names the columns, or says that the "first" row does, or "none".

    Raises:
        DpfairError: the file is not there, is no text, or not in the encoding that is said, or
            nobody has heard of it.
    """
    if separator and separator not in SEPARATORS:
        raise DpfairError(
            f"cells cannot be told apart by {separator!r}: one of {', '.join(map(repr, SEPARATORS))}"
        )
    content = read_bytes(file)
    encoding = encoding or find_encoding(content)
    text = _decoded(file, content, encoding)
    beginning = text[:SAMPLE_CHARACTERS]
    separator = separator or _find_separator(beginning)
    rows = list(islice(split_rows(beginning, separator), SAMPLE))
    if not rows:
        raise DpfairError(f"{file} is no csv table: no columns to parse from file")
    names = _find_header(rows) if header == "" else header
    if isinstance(names, str):
        names = _names_by_place(len(rows[0])) if names == "none" else ()
    return TableForm(separator, encoding, names, _find_decimal(rows[not names :]))


def describe_form(form: TableForm) -> str:
    """The form in words."""
    between = {" ": "blanks", "\t": "tabs"}.get(form.separator, repr(form.separator))
    names = form.header
    heading = f"no heading: columns {names[0]} to {names[-1]}" if names else "a heading"
    decimal = ["decimal commas"] if form.decimal == "," else []
    return ", ".join([f"{between} between cells", form.encoding, *decimal, heading])


def read_table(file: str) -> pd.DataFrame:
    """All cells as text, in the form that is found; an empty cell, `?` and usual signs (NA, null)
    are missing values.

    Raises:
        DpfairError: the file is not there, or is no table.
    """
    form = find_form(file)
    table = read_cells(file, read_heading(file, form), form)
    if table.empty:
        raise DpfairError(f"{file} has no row below its heading")
    return table.mask(table.isin(EMPTY))


def read_columns(file: str, names: Collection[str], form: TableForm) -> pd.DataFrame:
    """These columns as text without blanks around it, whatever bytes and however many cells a row
    has.

    Raises:
        DpfairError: the file is not there, is no table, lacks one of these columns, or has no row.
    """
    heading = read_heading(file, form)
    for name in names:
        if name not in heading:
            _require_encoding(file, form)
            raise DpfairError(f"no column {name!r} in the table: {nearest(name, heading)}")
    table = read_cells(file, heading, form, usecols=list(names))
    if table.empty:
        raise DpfairError(f"{file} has no row below its heading")
    return table[list(names)]


def _require_encoding(file: str, form: TableForm) -> None:
    """Refuse a file in another encoding than its form says: its heading is then read wrongly.

    Raises:
        DpfairError: says which it is, or that it is no text.
    """
    content = read_bytes(file)
    found = find_encoding(content)
    _decoded(file, content, found)
    if codecs.lookup(found) != codecs.lookup(form.encoding) and found in MARKS.values():
        way_out = f"say `encoding: {found}` in the domain file"
        raise DpfairError(f"{file} is written in {found}, not {form.encoding}: {way_out}")


def read_heading(file: str, form: TableForm) -> list[str]:
    """The names of the columns: an empty one is called by its place, a repeated one is numbered.

    Raises:
        DpfairError: the file is not there, or is no table.
    """
    if form.header:
        return list(form.header)
    (first,) = _read(file, form, header=None, nrows=1).to_numpy().tolist()
    seen: Counter[str] = Counter()
    names = []
    for place, text in enumerate(first, start=1):
        name = text.strip() or f"column{place}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return names


def nameless(heading: Sequence[str], form: TableForm) -> set[str]:
    """The columns that have no name in the heading of their file, and are called by their place."""
    return set() if form.header else set(heading) & set(_names_by_place(len(heading)))


def read_cells(file: str, heading: Sequence[str], form: TableForm, **how: Any) -> pd.DataFrame:
    """Every row below the heading as text without blanks around it; cells that a row lacks are
    empty.
    """
    table = _read(
        file, form, header=None if form.header else 0, names=heading, index_col=False, **how
    )
    return pd.DataFrame({name: _cells(table[name].tolist(), form) for name in table})


def _cells(texts: list[str], form: TableForm) -> list[str]:
    stripped = [text.strip() for text in texts]
    if form.decimal == ".":
        return stripped
    return [text.replace(",", ".") if COMMA_NUMBER.fullmatch(text) else text for text in stripped]


def _read(file: str, form: TableForm, **how: Any) -> pd.DataFrame:
    """Cells of text, by pandas."""
    how |= {"sep": r"\s+" if form.separator == " " else form.separator, "encoding": form.encoding}
    how |= {
        "dtype": str,
        "skipinitialspace": True,
        "na_filter": False,
        "encoding_errors": "replace",
    }
    try:
        table: pd.DataFrame = pd.read_csv(Path(file).expanduser(), **how)
        return table.fillna("")  # what a short row lacks
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(file, error) from error
    except ValueError as error:
        raise DpfairError(f"{file} is no csv table: {str(error).splitlines()[0]}") from error


def read_bytes(file: str) -> bytes:
    """The content of a file, unpacked if its name ends in .gz.

    Raises:
        DpfairError: it is not there, or cannot be read.
    """
    path = Path(file).expanduser()
    try:
        content = path.read_bytes()
        return gzip.decompress(content) if path.suffix == ".gz" else content
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(file, error) from error


def unreadable(file: str, error: Exception) -> DpfairError:
    """Why the bytes of a file cannot be read, and what to do."""
    match error:
        case FileNotFoundError():
            return DpfairError(f"{file} is not there")
        case IsADirectoryError():
            return DpfairError(f"{file} is a folder: give the path of a file in it")
        case gzip.BadGzipFile():
            return DpfairError(
                f"{file} is not compressed, whatever its name says: call it by another, or compress it"
            )
        case OSError():
            return DpfairError(f"{file} cannot be read: {error.strerror or error}")
    return DpfairError(f"{file} is damaged or cut short: copy or fetch it again ({error})")


def find_encoding(content: bytes) -> str:
    """The encoding that the first bytes of a file say, else utf-8 if it is that, else latin-1."""
    marked = [name for mark, name in MARKS.items() if content.startswith(mark)]
    if marked:
        return marked[0]
    try:
        content.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return "latin-1"


def read_text(file: str) -> str:
    """The text of a file in the encoding that is found.

    Raises:
        DpfairError: it is not there, or is no text.
    """
    content = read_bytes(file)
    return _decoded(file, content, find_encoding(content))


def _decoded(file: str, content: bytes, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise DpfairError(f"{file} is not in the encoding {encoding}: {error}") from error
    if "\0" in text:
        raise DpfairError(
            f"{file} holds NUL bytes, as no text does: is it of another program, or in another encoding?"
        )
    return text


def split_rows(text: str, separator: str) -> Iterable[list[str]]:
    """The cells of every row that is not blank, without blanks around them."""
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    stripped = ([cell.strip() for cell in row] for row in rows)
    if separator == " ":
        return ([cell for cell in row if cell] for row in stripped if any(row))
    return (row for row in stripped if row)


def _find_separator(text: str) -> str:
    """The one that gives most rows the same number of cells, two or more; a comma where none does."""

    def regular_width(separator: str) -> int:
        widths = Counter(map(len, islice(split_rows(text, separator), SAMPLE)))
        if not widths:
            return 0
        width, rows = widths.most_common(1)[0]
        return width if rows >= REGULAR * widths.total() else 0

    found = max(SEPARATORS, key=regular_width)
    return found if regular_width(found) > 1 else ","


def _find_header(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Names by their place if the first row is no heading: it has a number, or says what is said
    again below.
    """
    first, *others = rows
    columns = [{row[place] for row in others if place < len(row)} for place in range(len(first))]
    repeated = bool(others) and all(
        cell in column for cell, column in zip(first, columns, strict=True)
    )
    if repeated or any(as_number(cell) == as_number(cell) for cell in first):
        return _names_by_place(len(first))
    return ()


def _names_by_place(count: int) -> tuple[str, ...]:
    return tuple(f"column{place}" for place in range(1, count + 1))


def _find_decimal(rows: Sequence[Sequence[str]]) -> str:
    """A comma if in some column all that is not empty is a number so written, and not with three
    digits each time.
    """
    for place in range(max(map(len, rows), default=0)):
        cells = [row[place] for row in rows if place < len(row) and row[place] not in EMPTY]
        digits = [len(cell.partition(",")[2]) for cell in cells if COMMA_NUMBER.fullmatch(cell)]
        if set(digits) - {THOUSANDS} and all(
            NUMBER_OR_COMMA_NUMBER.fullmatch(cell) for cell in cells
        ):
            return ","
    return "."
