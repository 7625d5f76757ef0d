"""Long tables of a page as data: the script of the page makes the rows when a table is opened.

A column is a list of its cells from the top down. A number in place of a cell is the row, counted
from 0, in which the column has the same cell for the first time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dpfair_cli.reporting.cell_columns import REPORT_COLUMNS
from dpfair_cli.reporting.figures.hover import Point
from dpfair_cli.reporting.score_text import COMPARED
from dpfair_cli.reporting.strips import END, Strip
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.score.variant_counts import VariantCount

LINK, STRIP = "link", "strip"  # kinds of columns whose cells are more than text


class Heading(NamedTuple):
    """The heading of a column, with what the script needs to make the cells below it."""

    text: str
    """The words of the heading."""

    css_class: str = ""
    """The class of every cell; without one, a verdict has the class of its tone."""

    kind: str = ""
    """What the cells are: a link to a deviation, a strip, or text if empty."""


@dataclass(frozen=True)
class PackedTable:
    """The rows of a table as data."""

    headings: tuple[Heading, ...]
    """The headings of the columns."""

    columns: Sequence[Sequence[Any]]
    """The packed cells of each column."""

    filters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The packed verdict, data set and method of the rows, if the filter of the page hides rows."""

    @property
    def data(self) -> dict[str, Any]:
        """What is written into the page."""
        return {"columns": self.columns, "filters": {**self.filters}}


def pack(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The columns of rows of cells, with the number of a row for each cell that repeats it.

    >>> pack([["adult", "1"], ["dutch", "10"], ["adult", "10"]])
    [['adult', 'dutch', 0], ['1', '10', 1]]
    """
    return [_pack_column(column) for column in zip(*rows, strict=True)]


def pack_texts(headings: Iterable[str], lines: Iterable[Sequence[Any]]) -> PackedTable:
    """The table whose cells are texts."""
    rows = [[str(value) for value in line] for line in lines]
    return PackedTable(tuple(map(Heading, headings)), pack(rows))


def pack_cells(
    cells: Sequence[JudgedCell],
    strips: Mapping[JudgedCell, Strip],
    footnotes: Mapping[str, int],
) -> PackedTable:
    """The list of published cells, with cause and strip after the first column.

    `strips` gives the strip of each compared cell, `footnotes` the number of each deviation by id.
    """
    first, *others = (Heading(one.heading, one.css_class) for one in REPORT_COLUMNS)
    added = (Heading("cause", kind=LINK), Heading(f"ours less published, ±{END}", kind=STRIP))
    rows: list[list[Any]] = []
    filters = []
    for cell in cells:
        name, *texts = (column.text(cell) for column in REPORT_COLUMNS)
        rows.append([name, _cause(cell, footnotes), strips.get(cell, ()), *texts])
        filters.append([cell.full_verdict, cell.published.dataset, cell.published.method])
    names = ("verdict", "dataset", "method")
    packed_filters = dict(zip(names, pack(filters), strict=False))
    return PackedTable((first, *added, *others), pack(rows), packed_filters)


def pack_variants(counts: Iterable[VariantCount]) -> PackedTable:
    """The counts of an artefact's cells by verdict, under each variant of each method."""
    headings = ("method", "variant", "chosen by", *map(str, COMPARED), "nearest", "cells")
    lines = [
        [
            one.method,
            one.variant or "default",
            one.chosen_by,
            *(one.verdicts[verdict] for verdict in COMPARED),
            one.nearest,
            one.cells,
        ]
        for one in counts
    ]
    return pack_texts(headings, lines)


def pack_points(points: Sequence[Point], width: int, height: int) -> list[list[Any]]:
    """The points of a picture: x and y in thousandths of its width, and the two parts of its words.

    `width` and `height` are the size of the picture. The first part of the words names panel and
    line, which many neighbouring points share.
    """
    rows = []
    for point in points:
        line, colon, numbers = point.words.rpartition(": ")
        rows.append([str(point.x), str(round(point.y * height / width)), line + colon, numbers])
    return pack(rows)


def _pack_column(column: Sequence[Any]) -> list[Any]:
    first = {value: row for row, value in reversed([*enumerate(column)])}
    return [value if first[value] == row else first[value] for row, value in enumerate(column)]


def _cause(cell: JudgedCell, footnotes: Mapping[str, int]) -> str | tuple[str, str]:
    """The number and id of a cell's deviation, or its cause in words."""
    if cell.deviation:
        return str(footnotes[cell.deviation.id]), cell.deviation.id
    return cell.cause
