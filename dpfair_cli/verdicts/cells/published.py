"""Reads published.csv of experiments/<paper>: the published values, one cell per line."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.errors import DpfairError

NEEDED = ("artefact", "dataset", "method", "metric", "mean", "std")
VALUES = ("mean", "std", "printed", "place")  # the other columns identify the cell
FIXED_COLUMNS = {*NEEDED, *VALUES}  # every other column is a parameter
PRINTED = re.compile(
    r"([-+]?\d+(?:\.(\d*))?)\s*%?(?:\s*(?:±|\+-|\+/-|\().*)?"
)  # a standard deviation may follow
ROUNDING = 1e-6  # tolerance, as a share of half a digit: floating-point numbers are not exact


@dataclass(frozen=True, eq=False)
class PublishedCell:
    """A value that a paper prints, or that the repository of its authors has."""

    artefact: str  # within its paper, such as "table8.2"
    dataset: str
    method: str
    metric: str
    mean: float
    std: float = math.nan  # NaN if the paper does not print one
    parameters: Mapping[str, Any] = field(default_factory=dict)
    printed: str = ""  # the text as printed
    place: str = ""
    line: int = 0
    runs: int = 0  # that the mean is over; 0 for the number that the spec gives


def read_published_cells(file: Path) -> list[PublishedCell]:
    """The published cells in a file published.csv; an empty list if there is no file.

    Raises:
        DpfairError: a line is not a cell, or two lines are the same cell; the message names the
            file and the line.
    """
    if not file.exists():
        return []
    reader = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig")))
    header = next(reader, [])
    lacking = [column for column in NEEDED if column not in header]
    if lacking:
        raise DpfairError(f"{file.name} must have a column {lacking[0]!r}")
    records = dict(numbered_records(reader))
    _check_records(header, records, file.name)
    columns = dict(zip(header, zip(*records.values(), strict=True), strict=True)) if records else {}
    values = {name: column_values(columns[name]) for name in columns if name not in FIXED_COLUMNS}
    found = []
    for k, (line, record) in enumerate(records.items()):
        texts = dict(zip(header, record, strict=True))
        parameters = {name: of_column[k] for name, of_column in values.items() if texts[name]}
        found.append(_cell(texts, parameters, line))
    return found


def parameter_names(cells: Iterable[PublishedCell]) -> list[str]:
    """The names of the parameters that at least one published cell has, in order of occurrence."""
    return list(dict.fromkeys(chain.from_iterable(cell.parameters for cell in cells)))


def numbered_records(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yields each record of a CSV file that is not empty, with the number of its first line."""
    line = reader.line_num + 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1


def _check_records(header: Sequence[str], records: Mapping[int, Sequence[str]], name: str) -> None:
    """Raises an error for a record of published.csv that is no cell or repeats a cell."""
    places = [k for k, column in enumerate(header) if column not in VALUES]
    seen: dict[tuple[str, ...], int] = {}
    for line, record in records.items():
        mistake = _mistake(header, record)
        if not mistake:
            first = seen.setdefault(tuple(record[k] for k in places), line)
            mistake = f"the same cell as in line {first}: delete one" if first != line else ""
        if mistake:
            raise DpfairError(f"{name}, line {line}: {mistake}")


def column_values(texts: Sequence[str]) -> list[Any]:
    """The texts of a column of a table as numbers if all are numbers, otherwise unchanged."""
    if all(is_number(text) or text == "inf" for text in texts if text):
        return [float(text) if text else math.nan for text in texts]
    return list(texts)


def _cell(cells: Mapping[str, str], parameters: Mapping[str, Any], line: int) -> PublishedCell:
    """The published cell in one record of published.csv, given by column."""
    return PublishedCell(
        artefact=cells["artefact"],
        dataset=cells["dataset"],
        method=cells["method"],
        metric=cells["metric"],
        mean=float(cells["mean"]),
        std=float(cells["std"] or "nan"),
        parameters=parameters,
        printed=cells.get("printed", ""),
        place=cells.get("place", ""),
        line=line,
    )


def _mistake(header: Sequence[str], record: Sequence[str]) -> str:
    """The reason why a record of published.csv is not a published cell; empty if it is a cell."""
    if len(record) != len(header):
        return f"the line has {len(record)} fields, but the header has {len(header)}"
    cell = dict(zip(header, record, strict=True))
    empty = [name for name in NEEDED if name != "std" and not cell[name].strip()]
    if empty:
        return f"the column {empty[0]} must not be empty"
    if not is_number(cell["mean"]):
        return f"the mean must be a number, got {cell['mean']!r}"
    if cell["std"] and not is_number(cell["std"]):
        return f"the std must be a number, got {cell['std']!r}"
    if not _says(cell.get("printed", ""), float(cell["mean"])):
        return f"the mean {cell['mean']} is not as printed, {cell['printed']}"
    return ""


def _says(printed: str, mean: float) -> bool:
    """Whether a printed text such as 15.54 or 84.5% equals a mean, rounded to the printed digits.

    The text may be in percent, and may be one minus the score. A text that does not begin with a
    number, or that continues with words, is accepted.
    """
    number = PRINTED.fullmatch(printed.strip())
    if not number:
        return True
    value, half = float(number[1]), 0.5 * 10.0 ** -len(number[2] or "")
    forms = (
        (value, half),
        (1 - value, half),
        (value / 100, half / 100),
        (1 - value / 100, half / 100),
    )
    return any(abs(form - mean) <= room * (1 + ROUNDING) for form, room in forms)


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
