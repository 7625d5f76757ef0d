"""Arranges judged cells in a table with the rows and columns that the paper prints.

Each place shows our value and the published value. The key `printed` of a spec gives the names that
identify a row and those that identify a column: "dataset", "method", "metric" or a parameter. The
rows and columns are in the order of published.csv.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, product
from operator import itemgetter
from typing import Any, NamedTuple

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import PrintedShape, Spec
from dpfair_cli.reporting.shown import describe_program, legend_of, look_of_cell
from dpfair_cli.verdicts.authors import JudgedAuthorsValue, values_in_place
from dpfair_cli.verdicts.cells.comparison import LAST_DECIMAL
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.wording import format_mean, format_number, label

NAMES = ("dataset", "method", "metric")  # every published cell has these
KEPT = -round(math.log10(LAST_DECIMAL))  # decimals of a score; the others of a mean are noise
DECIMALS = re.compile(r"[-+]?\d+(?:\.(\d+))?")  # the mean at the beginning of a cell
HEADINGS = {"dataset": "data", "metric": "score"}
BRACKETS = "Ours, with the published value below it in brackets"
BRACES = ", and the value of the authors' program below that in braces"

Values = Mapping[str, Any]  # name -> value of a published cell, for the names that the cell has
Key = tuple[Any, ...]  # values that identify a row or column; None if the cell lacks one
Place = tuple[Key, Key]  # keys of the row and of the column of a cell
Span = tuple[str, int]  # a heading and the number of rows or columns below it


class PlacedCell(NamedTuple):
    """A published cell as it is shown at its place in a table.

    Attributes:
        symbol: the symbol of its verdict.
        tone: the CSS class of its verdict.
        ours: our value with the decimals of the published value; empty if nothing was compared.
        published: the published value.
        footnote: the number of the footnote with the cause; 0 without a footnote.
        authors: the value of the authors' program; empty if the program gave none.
    """

    symbol: str
    tone: str
    ours: str
    published: str
    footnote: int
    authors: str


class PrintedRow(NamedTuple):
    """A row of a table of published cells.

    Attributes:
        words: the headings at the beginning of the row, the outermost first.
        cells: one entry for each column; None if the paper prints nothing there.
    """

    words: tuple[str, ...]
    cells: tuple[PlacedCell | None, ...]


@dataclass(frozen=True)
class PrintedTable:
    """The published cells of an artefact in a table as the paper prints it.

    Attributes:
        headings: the headings above the words of a row.
        columns: the words above each column, the outermost first.
        rows: the rows.
        outside: the cells without words for a row, such as cells that a caption prints.
        footnotes: the causes, in the order of reading; the first has number 1.
        legend: the symbols in the table with their verdicts, from best to worst.
        program: sentences about the authors' program; empty if the table has no value of it.
    """

    headings: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[PrintedRow, ...]
    outside: tuple[PrintedRow, ...]
    footnotes: tuple[Deviation, ...]
    legend: str
    program: str = ""

    @property
    def intro(self) -> str:
        """The sentences above the table, which explain its marks."""
        return f"{BRACKETS}{BRACES * bool(self.program)}. {self.legend}."

    @property
    def column_spans(self) -> list[list[Span]]:
        """The rows of headings above a table's columns; equal neighbours are one wide heading."""
        return _spans(self.columns)

    @property
    def row_spans(self) -> list[list[Span]]:
        """For each row of the table, the headings that begin there and the number of their rows."""
        starts: list[list[Span]] = [[] for _ in self.rows]
        for level in _spans([row.words for row in self.rows]):
            row = 0
            for word, length in level:
                starts[row].append((word, length))
                row += length
        return starts


def make(
    cells: Sequence[JudgedCell], spec: Spec, authors: Sequence[JudgedAuthorsValue] = ()
) -> PrintedTable:
    """The table of the published cells of an artefact, in the shape that its spec gives.

    `authors` are the values of the authors' program, if we ran it.

    Raises:
        DpfairError: two cells have one place, because the shape lacks a name that distinguishes
            them.
    """
    values = [cell.published.named for cell in cells]
    shape = spec.printed if spec.printed.rows else default_shape(values)
    keys = [(_key(one, shape.rows), _key(one, shape.columns)) for one in values]
    _require_distinct(cells, keys, values, spec)
    cell_at = dict(zip(keys, cells, strict=True))  # no place has two cells, as was asked above
    # a cell without any word of a row, such as one of a caption, would make an empty row
    led = [place for place in keys if place[0].count(None) < len(place[0])]
    outside = [place for place in keys if place not in led]
    row_keys, column_keys = _in_order([row for row, _ in led]), _in_order([key for _, key in led])
    # footnotes are numbered as a reader meets them: row by row
    in_reading_order = [*product(row_keys, column_keys), *outside]
    read = [cell_at[place] for place in in_reading_order if place in cell_at]
    causes = {one.deviation.id: one.deviation for one in read if one.deviation}
    numbers = {name: number for number, name in enumerate(causes, start=1)}
    shown = {place: _placed(cell, numbers, authors) for place, cell in cell_at.items()}
    rows = []
    for row in row_keys:
        in_row = tuple(shown.get((row, column)) for column in column_keys)
        rows.append(PrintedRow(_words(row, shape.rows, spec), in_row))
    alone = [PrintedRow(_column_words(at[1], shape.columns, spec), (shown[at],)) for at in outside]
    return PrintedTable(
        headings=tuple(HEADINGS.get(name) or label(name, spec) for name in shape.rows),
        columns=tuple(_column_words(key, shape.columns, spec) for key in column_keys),
        rows=tuple(rows),
        outside=tuple(alone),
        footnotes=tuple(causes.values()),
        legend=legend_of(one.symbol for one in shown.values()),
        program=describe_program(authors),
    )


def default_shape(values: Sequence[Values]) -> PrintedShape:
    """The shape of a table without `printed`: methods as columns, all else that varies as rows.

    A parameter that is not needed to distinguish the cells is left out.
    """
    named = dict.fromkeys(chain.from_iterable(values))
    parameters = [name for name in named if name not in NAMES]
    for name in tuple(parameters):
        others = [one for one in (*NAMES, *parameters) if one != name]
        if len({_key(one, others) for one in values}) == len(values):
            # the next parameter is judged without this one: of two that say the same, one stays
            parameters.remove(name)
    varying = [name for name in NAMES if len(set(map(itemgetter(name), values))) > 1]
    column = next((name for name in ("method", "metric") if name in varying), "method")
    names = [name for name in ("dataset", *parameters, "method", "metric") if name != column]
    rows = [name for name in names if name in varying or name in parameters]
    return PrintedShape(tuple(rows or ["metric"]), (column,))


def number_deviations(table: PrintedTable, deviations: Sequence[Deviation]) -> dict[str, int]:
    """The number of each deviation, by id; deviations without a footnote get the last numbers."""
    # a deviation of a claim alone has no footnote in the table
    ids = dict.fromkeys(one.id for one in (*table.footnotes, *deviations))
    return {name: number for number, name in enumerate(ids, start=1)}


def _key(values: Values, names: Sequence[str]) -> Key:
    return tuple(values.get(name) for name in names)


def _require_distinct(
    cells: Sequence[JudgedCell], places: Sequence[Any], values: Sequence[Values], spec: Spec
) -> None:
    """Refuses the shape of a table in which two published cells have the same place."""
    seen: dict[Any, int] = {}
    for k, place in enumerate(places):
        first = seen.setdefault(place, k)
        if first != k:
            one, other = values[first], values[k]
            names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
            pair = f"{cells[first].description} and {cells[k].description}"
            raise DpfairError(
                f"{spec.artefact}: the key `printed` of the spec puts two cells in one place, "
                f"add {' or '.join(names)} to `rows` or `columns`: {pair}"
            )


def _in_order(keys: Sequence[Key]) -> list[Key]:
    """The distinct keys of rows or columns in order; keys with an equal beginning are adjacent."""
    if not keys or not keys[0]:
        return list(dict.fromkeys(keys))
    found = []
    for first in dict.fromkeys(key[0] for key in keys):
        # by levels, so that a heading is never above two separate groups
        rest = _in_order([key[1:] for key in keys if key[0] == first])
        found += [(first, *key) for key in rest]
    return found


def _words(key: Key, names: Sequence[str], spec: Spec) -> tuple[str, ...]:
    """The headings of a row of a table; a heading is empty if the cells lack the value."""
    return tuple(_word(name, value, spec) for name, value in zip(names, key, strict=True))


def _column_words(key: Key, names: Sequence[str], spec: Spec) -> tuple[str, ...]:
    """The headings of a column of a table; a number follows the name of its parameter."""
    words = []
    for name, value, word in zip(names, key, _words(key, names, spec), strict=True):
        is_number = value is not None and not isinstance(value, str)
        words.append(f"{label(name, spec)} {word}" if is_number else word)
    return tuple(words)


def _word(name: str, value: Any, spec: Spec) -> str:
    if value is None:
        return ""
    if name == "method" or not isinstance(value, str):
        return format_number(value)
    return label(value, spec)


def _placed(
    cell: JudgedCell, numbers: Mapping[str, int], authors: Sequence[JudgedAuthorsValue]
) -> PlacedCell:
    """A published cell as the table shows it; `numbers` gives the footnote of each deviation.

    Our value and that of the authors' program have a standard deviation if the published value has
    one.
    """
    own, ours = cell.published, cell.default.ours if cell.default else None
    found = DECIMALS.match(own.printed)
    # "71%" begins with a number that is not the mean, and says nothing about its decimals
    is_mean = found and math.isclose(float(found[0]), own.mean, rel_tol=1e-9, abs_tol=1e-9)
    decimals = len(found[1] or "") if found and is_mean else None
    kept = None if decimals is None else min(decimals, KEPT)
    std = ours.std if ours and not math.isnan(own.std) else math.nan
    values = [one.cell for one in values_in_place(authors, own)]
    look = look_of_cell(cell)
    return PlacedCell(
        symbol=look.symbol,
        tone=look.tone,
        ours=_number(ours.mean, std, kept) if ours else "",
        published=_number(own.mean, own.std, decimals),
        footnote=numbers[cell.deviation.id] if cell.deviation else 0,
        authors="".join(_number(one.mean, one.std, decimals) for one in values),
    )


def _number(mean: float, std: float, decimals: int | None) -> str:
    """The text "mean ± standard deviation"; None means the usual four decimals."""
    if decimals is None:
        return format_mean(mean, std)
    form = f",.{decimals}f"
    return f"{mean:{form}}" if math.isnan(std) else f"{mean:{form}} ± {std:{form}}"


def _spans(keys: Sequence[tuple[str, ...]]) -> list[list[Span]]:
    """The merged headings at each level: a heading, and the number of rows or columns it covers."""
    levels: list[list[Span]] = []
    for depth in range(1, len(keys[0]) + 1 if keys else 0):
        level = []
        for words, group in groupby(keys, key=itemgetter(slice(depth))):
            level.append((words[-1], len(list(group))))
        levels.append(level)
    return levels
