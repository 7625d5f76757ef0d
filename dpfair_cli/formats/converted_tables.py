"""The table in a Parquet file or an Excel workbook, as the csv file that has the same cells.

Each cell becomes a text by itself: the texts of a row depend on no other row. A whole number has no
decimal point, an empty cell and NaN are empty, and a date is written as 2024-01-31.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time
from decimal import Decimal
from importlib import import_module
from itertools import chain, dropwhile
from typing import Any
from zipfile import ZipFile

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import most_unpacked, too_large
from dpfair_cli.models.tabular.outside_values import as_text

BATCH = 2**12  # rows of a Parquet file that are in memory at once
INDEX = re.compile(r"__index_level_\d+__")  # the column of a pandas index without a name
SAVE = "or save the table as csv"


def of_parquet(file: str, content: bytes) -> bytes:
    """The table in a Parquet file as csv, without an index that has no name.

    Raises:
        DpfairError: PyArrow is not installed, or the content is damaged or far larger than the
            file.
    """
    parquet = _library("pyarrow", "pyarrow.parquet", file, "a Parquet file")
    try:
        table = parquet.ParquetFile(io.BytesIO(content))
        heading = table.schema_arrow.names
        kept = [place for place, name in enumerate(heading) if not INDEX.fullmatch(name)]
        batches = table.iter_batches(batch_size=BATCH)
        columns = ([_values(batch.column(place)) for place in kept] for batch in batches)
        rows = chain.from_iterable(zip(*of_batch, strict=True) for of_batch in columns)
        return _as_csv(_limited(file, chain([[heading[place] for place in kept]], rows), content))
    except DpfairError:
        raise
    except Exception as error:  # PyArrow raises errors of many types
        raise _damaged(file, error) from error


def of_workbook(file: str, content: bytes, packed: ZipFile) -> bytes:
    """The only visible sheet with cells in an Excel workbook as csv.

    `packed` is the same workbook as a zip file.

    Raises:
        DpfairError: openpyxl is not installed, several sheets have cells, or the content is damaged
            or far larger than the file.
    """
    openpyxl = _library("openpyxl", "openpyxl", file, "an Excel workbook")
    most = most_unpacked(len(content))
    if sum(part.file_size for part in packed.infolist()) > most:
        raise too_large(file, most)
    try:
        workbook = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        sheets = [one for one in workbook.worksheets if one.sheet_state == "visible"]
        filled = [sheet for sheet in sheets if any(_rows_of(sheet))]
        if len(filled) != 1:
            names = ", ".join(sheet.title for sheet in filled) or "none"
            raise DpfairError(
                f"{file} must have one sheet with cells, got {names}: hide or delete the other "
                f"sheets, {SAVE}"
            )
        below = dropwhile(lambda row: not row, _rows_of(filled[0]))  # as blank lines of a text
        rows = list(_limited(file, below, content))
    except DpfairError:
        raise
    except Exception as error:  # openpyxl and its XML parser raise errors of many types
        raise _damaged(file, error) from error
    while not rows[-1]:  # formatted cells below the table
        rows.pop()
    width = max(map(len, rows))
    return _as_csv([*row, *[""] * (width - len(row))] for row in rows)


def _library(name: str, module: str, file: str, what: str) -> Any:
    """A module of a library that reads a format.

    Raises:
        DpfairError: the library is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise DpfairError(
            f"{file} is {what}, which needs a library that is not installed: pip install {name}, "
            f"{SAVE}"
        ) from error


def _damaged(file: str, error: Exception) -> DpfairError:
    cause = " ".join(str(error).split())
    return DpfairError(f"{file} is damaged or truncated: copy or fetch the file again ({cause})")


def _values(column: Any) -> list[Any]:
    """The values of a column of a Parquet file; None for a missing one."""
    values: list[Any] = column.to_pylist()
    if str(column.type) in ("float", "halffloat"):
        # with few digits: 0.1, and not the double with the same value, 0.10000000149011612
        numbers = column.to_numpy(zero_copy_only=False)
        values = [float(str(number)) for number in numbers]
    return values


def _rows_of(sheet: Any) -> Iterator[list[Any]]:
    """Yields the values of the rows of a sheet, without empty cells at the end of a row."""
    sheet.reset_dimensions()  # the size that a program wrote can be wrong
    for cells in sheet.iter_rows(values_only=True):
        row = list(cells)
        while row and row[-1] is None:
            row.pop()
        yield row


def _limited(file: str, rows: Iterable[Sequence[Any]], content: bytes) -> Iterator[list[str]]:
    """Yields the texts of the rows of a table in a file with this content.

    Raises:
        DpfairError: the texts are far larger than the file.
    """
    most, size = most_unpacked(len(content)), 0
    for row in rows:
        texts = list(map(_cell, row))
        size += sum(map(len, texts)) + len(texts)  # with the sign after each cell
        if size > most:
            raise too_large(file, most)
        yield texts


def _as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """A table as csv in UTF-8."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(errors="replace")


def _cell(value: Any) -> str:
    """A value as the text of a cell.

    >>> list(map(_cell, [3.0, 0.5, None, float("nan"), True, datetime(2024, 1, 31), " a "]))
    ['3', '0.5', '', '', 'True', '2024-01-31', 'a']
    """
    # the types of most cells first: a table has millions of cells
    if type(value) is int:
        return str(value)
    if isinstance(value, str):
        text = value.strip()
        # a carriage return would end a row, and is a blank in every cell that is read
        return text.replace("\r\n", "\n").replace("\r", " ") if "\r" in text else text
    if value is None or value != value:
        return ""
    match value:
        case bytes():
            return value.decode(errors="replace")
        case Decimal() if value == value.to_integral_value():
            return str(int(value))
        case datetime() if value.time() == time() and value.tzinfo is None:
            return str(value.date())
    return as_text(value)
