"""Writes text: aligned columns, long texts next to a label, and tables of results.

A table that is not written to a terminal has every row and column, as its files have. In a terminal

- the rows of variants are left out, unless they are asked for;
- a column with one value in all rows is one line above the table;
- equal rows of a method at several values of epsilon are one row;
- our value, the symbol of its verdict and the published value share a cell;
- if the table is too wide, first the standard deviations are left out, then the privacy of each
  method moves above the table, then the scores without a published value are left out, from the
  last.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import product

import pandas as pd

from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting.shown import legend_of, looks_by_text
from dpfair_cli.reporting.tables import COLUMN as BASELINES

INDENT = "  "
LABEL = 21  # width of a label with the space after the label
NARROWEST = 20  # least width of a text next to a label
SPREAD = re.compile(r" ± [-\d.,e]+")  # a standard deviation with its sign
LEFT_OUT = "standard deviations: table.md"  # a remark on a table that is too wide for them
SYMBOL_OF = {word: look.symbol for word, look in looks_by_text().items()}
FEWEST_SCORES = 2  # that stay in a table without published values
NOT_SCORES = (BASELINES, "privacy")
Paint = Callable[[str, str], str]  # (text, tone as in `looks`) -> text in colour


@dataclass(frozen=True)
class TextForm:
    """The form of a text.

    Attributes:
        width: the width of the terminal; 0 for lines of any length.
        paint: the function that colours a verdict.
        is_full: whether cells and claims that agree are written too, and causes are not cut to one
            line.
    """

    width: int
    paint: Paint
    is_full: bool = False

    def wrapped(self, words: str, columns: int) -> list[str]:
        """A text in lines of `columns` characters; a text that is cut ends with "…"."""
        most = None if self.is_full else 1
        return textwrap.wrap(words, columns, max_lines=most, placeholder=" …")


def padded(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[list[str]]:
    """The rows with each text as wide as its column; the columns `right` align at the right."""
    widths = _widths(rows)
    found = []
    for row in rows:
        pairs = zip(row, widths, strict=True)
        texts = [
            text.rjust(width) if k in right else text.ljust(width)
            for k, (text, width) in enumerate(pairs)
        ]
        found.append(texts)
    return found


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows, the headings first, as lines of columns."""
    return ["  ".join(row).rstrip() for row in padded(rows)]


def blocks(rows: Sequence[Sequence[str]], keys: int, width: int) -> list[str]:
    """The rows, the headings first, as lines of columns; each block follows an empty line.

    The first `keys` columns identify a row. Columns that do not fit `width` characters are written
    below in further blocks, which repeat the key columns; 0 is no limit.
    """
    lines = []
    for block in _blocks(_widths(rows), keys, width):
        lines += ["", *aligned([list(map(row.__getitem__, block)) for row in rows])]
    return lines


def labelled(name: str, words: str, columns: int = 0) -> str:
    """The label `name` and a text, which is wrapped next to the label if a width is given."""
    room = max(NARROWEST, columns - len(INDENT) - LABEL)
    parts = textwrap.wrap(words, room) if columns else [words]
    return f"{INDENT}{name:<{LABEL}}" + f"\n{INDENT}{'':<{LABEL}}".join(parts)


def table(table: Table, *, width: int = 0) -> str:
    """The whole table as text, in blocks of `width` characters; 0 for no limit."""
    body = blocks([table.columns, *table.lines], _number_of_keys(table), width)
    return "\n".join((table.title, *table.notes, *body, ""))


def terminal_table(table: Table, *, width: int, left_out: Collection[str] = ()) -> str:
    """The table as text for a terminal that is `width` characters wide.

    `left_out` are the labels of methods whose rows are not shown.
    """
    full, keys = table.formatted, table.columns[: _number_of_keys(table)]
    variants = full["method"].isin(left_out) if "method" in full else pd.Series(False, full.index)
    published = [name for name in table.columns if f"{name} published" in table.columns]
    cells, symbols = _merged(full[~variants], published)
    common = _equal_columns(cells, published)
    cells = _without_equal_rows(cells.drop(columns=list(common)))
    scores = [name for name in map(str, cells) if name not in (*keys, *NOT_SCORES)]
    cells, remarks = _narrowed(cells, scores, published, width)
    above = [f"In all rows: {'; '.join(f'{k} {v}' for k, v in common.items())}."] if common else []
    if symbols:
        above.append(f"A cell: our value, verdict, (published value). {legend_of(symbols)}.")
    if variants.any():
        remarks.append(f"{variants.sum()} rows of variants are left out: -v shows them.")
    notes = [_without_spread(note) if LEFT_OUT in remarks else note for note in table.notes]
    remarks = [remark for remark in remarks if remark != LEFT_OUT]
    above = [textwrap.fill(one, width) for one in (table.title, *notes, *above, *remarks)]
    lines = [*_headings(cells, width), *cells.astype(str).values.tolist()]
    body = blocks(lines, sum(name in keys for name in cells), width)
    return "\n".join([*above, *body, ""])


def _without_spread(note: str) -> str:
    """The note that says what a cell has, for cells whose standard deviations are left out."""
    return re.sub(r"^(.*) ± standard deviation (.*)\.$", rf"\1 \2 ({LEFT_OUT}).", note)


def _number_of_keys(table: Table) -> int:
    """The number of columns at the beginning of a table that identify a line."""
    return next((k for k, name in enumerate(table.numbers) if str(name).endswith("_mean")), 1)


def _merged(full: pd.DataFrame, published: Sequence[str]) -> tuple[pd.DataFrame, set[str]]:
    """The columns with value, verdict and published value in one cell, and the symbols in use."""
    columns: dict[str, list[str]] = {}
    symbols: set[str] = set()
    extra = {" ".join(pair) for pair in product(published, ("published", "verdict"))}
    for name in map(str, full):
        if name in published:
            marks = [SYMBOL_OF.get(word, "") for word in full[f"{name} verdict"]]
            symbols |= set(filter(None, marks))
            rows = zip(full[name], marks, full[f"{name} published"], strict=True)
            columns[name] = [f"{ours} {mark} ({its})" if its else ours for ours, mark, its in rows]
        elif name not in extra:
            columns[name] = list(full[name])
    return pd.DataFrame(columns), symbols


def _equal_columns(cells: pd.DataFrame, published: Sequence[str]) -> dict[str, str]:
    """The columns whose rows are all equal, each with its text.

    A method and a published score stay in the table, and so does all of a table with one row.
    """
    kept = ("method", *published)
    names = [name for name in map(str, cells) if name not in kept] if len(cells) > 1 else []
    texts = {name: cells[name].iloc[0] for name in names if cells[name].nunique() == 1}
    return {name: text for name, text in texts.items() if text}


def _without_equal_rows(cells: pd.DataFrame) -> pd.DataFrame:
    """The table with one row for each method whose rows are equal at all values of epsilon."""
    if not {"method", "epsilon"} <= {*cells}:
        return cells
    others = [name for name in cells if name != "epsilon"]
    counts = cells.groupby(others, sort=False)["epsilon"].transform("nunique")
    is_equal = counts.eq(cells["epsilon"].nunique()) & counts.gt(1)
    # the baseline without privacy is the same at every epsilon
    cells = cells.assign(epsilon=cells["epsilon"].mask(is_equal, "all"))
    return cells.drop_duplicates()


def _privacy_of_methods(cells: pd.DataFrame) -> str:
    """The methods with each privacy status as a sentence; empty if a method has several."""
    if not {"method", "privacy"} <= {*cells}:
        return ""
    pairs = cells[["method", "privacy"]].drop_duplicates()
    if not pairs["method"].is_unique:
        return ""
    by_status = pairs.groupby("privacy", sort=False)["method"].agg(", ".join)
    return f"Privacy: {'; '.join(f'{status} ({names})' for status, names in by_status.items())}."


def _narrowed(
    cells: pd.DataFrame, scores: Sequence[str], published: Sequence[str], width: int
) -> tuple[pd.DataFrame, list[str]]:
    """The table with as many scores as fit the width, and sentences about what is left out."""
    remarks = []
    if _least_width(cells) > width:
        cells = cells.replace(SPREAD, "", regex=True)
        # what a reader of a terminal misses least goes first
        remarks.append(LEFT_OUT)
    statuses = _privacy_of_methods(cells)
    if statuses and _least_width(cells) > width:
        cells = cells.drop(columns="privacy")
        remarks.append(statuses)
    # a score of the paper stays, whatever the width
    optional = [name for name in scores if name not in published]
    if not published:
        optional = optional[FEWEST_SCORES:]
    dropped: list[str] = []
    while optional and _least_width(cells) > width:
        # from the last, and told in the order of the table
        dropped.insert(0, optional.pop())
        cells = cells.drop(columns=dropped[0])
    if dropped:
        remarks.append(f"Not shown: {', '.join(dropped)} (table.md).")
    return cells, remarks


def _headings(cells: pd.DataFrame, width: int) -> list[list[str]]:
    """The headings of a table in one line, or in two lines if they make the table too wide."""
    names = ["ε" if name == "epsilon" else str(name) for name in cells]
    if _width_below(names, cells) <= width:
        return [names]
    above, below = zip(*map(_halves, names), strict=True)
    return [list(above), list(below)] if any(above) else [names]


def _halves(heading: str) -> tuple[str, str]:
    """A heading in two lines of nearly equal length; the first line of a single word is empty."""
    words = heading.split(" ")
    pairs = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(len(words))]
    return min(pairs, key=lambda pair: max(map(len, pair)))


def _least_width(cells: pd.DataFrame) -> int:
    """The width of a table whose headings have two lines."""
    halves = ["ε" if name == "epsilon" else max(_halves(str(name)), key=len) for name in cells]
    return _width_below(halves, cells)


def _width_below(headings: Sequence[str], cells: pd.DataFrame) -> int:
    """The width of a table below these headings, with two blanks between its columns."""
    pairs = zip(headings, cells, strict=True)
    # a cell is never cut: it would be another number
    widths = [max(len(heading), *map(len, cells[name])) for heading, name in pairs]
    return sum(widths) + 2 * (len(widths) - 1)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _blocks(widths: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """Blocks of columns that fit `width` if possible, each beginning with the key columns."""
    found, begin = [list(range(keys))], sum(widths[:keys])
    used = begin + 2 * (keys - 1)
    for k in range(keys, len(widths)):
        if width and used + 2 + widths[k] > width and len(found[-1]) > keys:
            found.append(list(range(keys)))
            used = begin + 2 * (keys - 1)
        found[-1].append(k)
        used += 2 + widths[k]
    return found
