"""Writes rows into an HTML page as data: the script of the page makes a table when it is opened.

A column is a list of its cells from the top down. A number in place of a cell is the row, counted
from 0, in which the column has the same cell for the first time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dpfair_cli.reporting.figures.hover import HoverPoint
from dpfair_cli.reporting.shown import CELL_COLUMNS, ShownCell, rows
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.score.scoreboard import (
    VARIANT_HEADINGS,
    SignedDifference,
    VariantCount,
    signed_differences,
)

LINK, STRIP = "link", "strip"  # kinds of columns whose cells are more than text
# a reader of the report can halve the distance to the rival
REPORT_COLUMNS = tuple(one for one in CELL_COLUMNS if one.field != "default.half_gap")
END = 0.1  # end of a strip, in units of the score or of five times the published value
HALF = 50  # END in units of the drawing
BAND = round(100 * MARGIN / END)  # width of the band of near differences, in percent of a strip


class PackedHeading(NamedTuple):
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

    headings: tuple[PackedHeading, ...]
    """The headings of the columns."""

    columns: Sequence[Sequence[Any]]
    """The packed cells of each column."""

    filters: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """The packed verdict, data set and method of the rows, if the filter of the page hides rows."""

    @property
    def data(self) -> dict[str, Any]:
        """What is written into the page."""
        return {"columns": self.columns, "filters": {**self.filters}}


class Strip(NamedTuple):
    """The marks of a cell on a short line around zero."""

    value: float
    """The difference, for sorting."""

    mean: float
    """The place of the difference."""

    low: float
    """The lower end of the 90 % interval of the difference."""

    high: float
    """The upper end of the 90 % interval of the difference."""

    beyond: int
    """-1 or 1 if our mean is beyond the left or right end of the strip, otherwise 0."""


def pack(lines: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """The columns of rows of cells, with the number of a row for each cell that repeats it.

    >>> pack([["adult", "1"], ["dutch", "10"], ["adult", "10"]])
    [['adult', 'dutch', 0], ['1', '10', 1]]
    """
    return [_pack_column(column) for column in zip(*lines, strict=True)]


def pack_texts(headings: Iterable[str], lines: Iterable[Sequence[Any]]) -> PackedTable:
    """The table whose cells are texts."""
    texts = [list(map(str, line)) for line in lines]
    return PackedTable(tuple(map(PackedHeading, headings)), pack(texts))


def pack_cells(
    cells: Sequence[ShownCell],
    strips: Mapping[JudgedCell, Strip],
    footnotes: Mapping[str, int],
) -> PackedTable:
    """The list of published cells, with cause and strip after the first column.

    `strips` gives the strip of each compared cell, `footnotes` the number of each deviation by id.
    """
    first, *others = (PackedHeading(one.heading, one.css_class) for one in REPORT_COLUMNS)
    strip = PackedHeading(f"ours less published, ±{END}", kind=STRIP)
    headings = (first, PackedHeading("cause", kind=LINK), strip, *others)
    lines, filters = [], []
    for cell, (name, *texts) in zip(cells, rows(REPORT_COLUMNS, cells), strict=True):
        lines.append([name, _cause(cell, footnotes), strips.get(cell.judged, ()), *texts])
        published = cell.judged.published
        filters.append([cell.verdict, published.dataset, published.method])
    names = ("verdict", "dataset", "method")
    return PackedTable(headings, pack(lines), dict(zip(names, pack(filters), strict=False)))


def pack_variants(counts: Iterable[VariantCount]) -> PackedTable:
    """The counts of an artefact's cells by verdict, under each variant of each method."""
    return pack_texts(VARIANT_HEADINGS, [one.texts for one in counts])


def pack_points(points: Sequence[HoverPoint], width: int, height: int) -> list[list[Any]]:
    """The points of a picture: x and y in thousandths of its width, and the two parts of its words.

    `width` and `height` are the size of the picture. The first part of the words names panel and
    line, which many neighbouring points share.
    """
    found = []
    for point in points:
        line, colon, numbers = point.words.rpartition(": ")
        found.append([str(point.x), str(round(point.y * height / width)), line + colon, numbers])
    return pack(found)


def _pack_column(column: Sequence[Any]) -> list[Any]:
    first = {value: row for row, value in reversed([*enumerate(column)])}
    return [value if first[value] == row else first[value] for row, value in enumerate(column)]


def _cause(cell: ShownCell, footnotes: Mapping[str, int]) -> str | tuple[str, str]:
    """The number and id of a cell's deviation, or its cause in words."""
    deviation = cell.judged.deviation
    if deviation:
        return str(footnotes[deviation.id]), deviation.id
    return cell.cause


def strips_of(verdicts: Verdicts) -> dict[JudgedCell, Strip]:
    """The strip of each compared cell: our mean minus the published mean, as marks on a line."""
    return {one.cell: _strip(one) for one in signed_differences(verdicts)}


def _strip(one: SignedDifference) -> Strip:
    """The strip of one compared cell: the difference of the means, as marks on a line."""
    beyond = 0 if abs(one.difference) <= END else int(math.copysign(1, one.difference))
    width = 0.0 if math.isnan(one.half_width) else one.half_width
    return Strip(
        value=round(one.difference, 4),
        mean=_place(one.difference),
        low=_place(one.difference - width),
        high=_place(one.difference + width),
        beyond=beyond,
    )


def _place(difference: float) -> float:
    """The position of a difference on a strip; a difference beyond the strip is put at its end."""
    return round(max(-END, min(END, difference)) / END * HALF, 1)
