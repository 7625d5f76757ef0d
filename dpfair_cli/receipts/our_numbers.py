"""Finds our mean of a published cell in the CSV file of its artefact."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dpfair_cli.receipts.content import CommittedFile
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.means import is_equal

METRIC, MEAN = "metric", "mean"  # columns of the CSV file of a figure


@dataclass(frozen=True)
class Numbers:
    """The CSV file of an artefact as texts."""

    file: CommittedFile
    """The file."""

    rows: tuple[Mapping[str, str], ...]
    """The texts of each row, by column."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the file."""
        return tuple(self.rows[0]) if self.rows else ()


@dataclass(frozen=True)
class Address:
    """The place of a number in a CSV file."""

    column: str
    """The column of the number."""

    where: Mapping[str, str]
    """The texts that only the row of the number has, by column."""

    text: str
    """The number as it is written."""


def read_numbers(file: CommittedFile) -> Numbers:
    """The numbers in the CSV file of an artefact."""
    text = file.source.read_text(encoding="utf-8")
    return Numbers(file, tuple(csv.DictReader(io.StringIO(text))))


def address(cell: JudgedCell, numbers: Numbers) -> Address | None:
    """The place of our mean of a cell; None if the cell has no mean or no separate row."""
    if cell.default is None or not numbers.rows:
        return None
    metric = cell.published.metric
    is_figure = METRIC in numbers.columns
    column = MEAN if is_figure else f"{metric}_{MEAN}"
    if column not in numbers.columns:
        return None
    wanted = dict(_wanted(cell, numbers)) | ({METRIC: metric} if is_figure else {})
    found = [row for row in numbers.rows if _fits(row, wanted)]
    if len(found) != 1 or not _is_near(found[0][column], cell.default.ours.mean):
        return None
    return Address(column, {key: found[0][key] for key in wanted}, found[0][column])


def _wanted(cell: JudgedCell, numbers: Numbers) -> Iterator[tuple[str, Any]]:
    """Yields the columns that identify the row of a cell, with their values."""
    assert cell.default is not None
    values = {"dataset": cell.published.dataset, "method": cell.default.label, **cell.parameters}
    yield from ((name, value) for name, value in values.items() if name in numbers.columns)


def _fits(row: Mapping[str, str], wanted: Mapping[str, Any]) -> bool:
    return all(is_equal(_value(row[key]), _value(value)) for key, value in wanted.items())


def _is_near(text: str, mean: float) -> bool:
    value = _value(text)
    return isinstance(value, float) and is_equal(value, float(mean))


def _value(given: Any) -> float | str:
    """A number for a text that is a number, otherwise the text; NaN becomes an empty text."""
    try:
        number = float(given)
    except (TypeError, ValueError):
        return str(given)
    return "" if math.isnan(number) else number
