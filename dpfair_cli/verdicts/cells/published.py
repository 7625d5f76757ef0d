"""published.csv of experiments/<paper>: the values that a paper prints, one cell a line."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.errors import DpfairError

NEEDED = ("artefact", "dataset", "method", "metric", "mean", "std")
VALUES = ("mean", "std", "printed", "place")  # what a cell says; all else is which cell it is
FIXED_COLUMNS = {*NEEDED, *VALUES}  # every other column is a parameter
PRINTED = re.compile(
    r"([-+]?\d+(?:\.(\d*))?)\s*%?(?:\s*(?:±|\+-|\+/-|\().*)?"
)  # its deviation may follow
ROUNDING = 1e-6  # of half a digit: numbers with a decimal point are not exact


@dataclass(frozen=True, eq=False)
class PublishedCell:
    """A value that a paper prints."""

    artefact: str
    """The table or figure within its paper, such as "table8.2"."""

    dataset: str
    """The data set."""

    method: str
    """The name that the paper gives the method."""

    metric: str
    """The score."""

    mean: float
    """The mean."""

    std: float = math.nan
    """The standard deviation; NaN where it is not printed."""

    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that the cell names, such as epsilon."""

    printed: str = ""
    """The cell as it is printed."""

    place: str = ""
    """Where in the paper it stands."""

    line: int = 0
    """Its line in published.csv."""


def read_published_cells(file: Path) -> list[PublishedCell]:
    """The published cells of a file; none if there is no file.

    Raises:
        DpfairError: a line is not a cell, or is the same cell as another; names file and line.
    """
    if not file.exists():
        return []
    reader = csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig")))
    header = next(reader, [])
    lacking = [column for column in NEEDED if column not in header]
    if lacking:
        raise DpfairError(f"{file.name} must have a column {lacking[0]!r}")
    records = dict(_records(reader))
    _check_records(header, records, file.name)
    columns = dict(zip(header, zip(*records.values(), strict=True), strict=True)) if records else {}
    values = {name: _values(columns[name]) for name in columns if name not in FIXED_COLUMNS}
    found = []
    for k, (line, record) in enumerate(records.items()):
        texts = dict(zip(header, record, strict=True))
        parameters = {name: of_column[k] for name, of_column in values.items() if texts[name]}
        found.append(_cell(texts, parameters, line))
    return found


def parameter_names(cells: Iterable[PublishedCell]) -> list[str]:
    """The parameters that at least one of the cells names, in the order of the file."""
    return list(dict.fromkeys(name for cell in cells for name in cell.parameters))


def _records(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Each record of a CSV file that is not empty, with the line in which it begins."""
    line = reader.line_num + 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1


def _check_records(header: Sequence[str], records: Mapping[int, Sequence[str]], name: str) -> None:
    """Refuse a record that is not a cell, or the same cell as another."""
    places = [k for k, column in enumerate(header) if column not in VALUES]
    seen: dict[tuple[str, ...], int] = {}
    for line, record in records.items():
        mistake = _mistake(header, record)
        if not mistake:
            first = seen.setdefault(tuple(record[k] for k in places), line)
            mistake = f"the same cell as in line {first}" if first != line else ""
        if mistake:
            raise DpfairError(f"{name}, line {line}: {mistake}")


def _values(texts: Sequence[str]) -> list[Any]:
    """The values of a column: numbers if all are, else texts."""
    if all(_is_number(text) or text == "inf" for text in texts if text):
        return [float(text) if text else math.nan for text in texts]
    return list(texts)


def _cell(cells: Mapping[str, str], parameters: Mapping[str, Any], line: int) -> PublishedCell:
    """The cell of one record."""
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
    """Why a record is not a published cell; empty if it is one."""
    if len(record) != len(header):
        return f"{len(record)} fields, and the header has {len(header)}"
    cell = dict(zip(header, record, strict=True))
    empty = [name for name in NEEDED if name != "std" and not cell[name].strip()]
    if empty:
        return f"{empty[0]} is empty"
    if not _is_number(cell["mean"]):
        return f"the mean is no number: {cell['mean']!r}"
    if cell["std"] and not _is_number(cell["std"]):
        return f"the std is no number: {cell['std']!r}"
    if not _says(cell.get("printed", ""), float(cell["mean"])):
        return f"the mean {cell['mean']} is not as printed, {cell['printed']}"
    return ""


def _says(printed: str, mean: float) -> bool:
    """Whether a text such as 15.54 or 84.5% is a mean to its last digit.

    It may be in percent or not, and of the score or of one minus the score. A text that does not
    begin with a number, or goes on in words, may say anything.
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


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
