"""A table of results for a terminal: short rows above which everything that is equal stands once.

The files of a table keep every row and column. In the terminal

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
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product

import pandas as pd

from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting import text_writer
from dpfair_cli.reporting.looks import SYMBOLS
from dpfair_cli.verdicts.wording import COLUMN as BASELINES

SPREAD = re.compile(r" ± [-\d.,e]+")
SYMBOL_OF = {str(verdict): symbol for verdict, symbol in SYMBOLS.items()}
FEWEST_SCORES = 2  # that stay in a table without published values
NOT_SCORES = (BASELINES, "privacy")


@dataclass(frozen=True)
class _Shown:
    """The columns of a table in a terminal."""

    cells: pd.DataFrame
    """The rows and columns, as texts."""

    scores: tuple[str, ...]
    """The columns with scores."""

    published: tuple[str, ...]
    """The scores among them that have published values."""

    keys: int
    """The number of columns at the beginning that identify a row."""


def text(table: Table, *, width: int, left_out: Collection[str] = ()) -> str:
    """The text of a table for a terminal that is `width` characters wide.

    `left_out` are the labels of methods whose rows are not shown.
    """
    full = table.formatted
    variants = full["method"].isin(left_out) if "method" in full else pd.Series(False, full.index)
    shown, symbols = _merged(full[~variants], text_writer.number_of_keys(table))
    shown, common = _without_equal_columns(shown)
    shown = replace(shown, cells=_without_equal_rows(shown.cells))
    shown, remarks = _narrowed(shown, width)
    legend = [f"{SYMBOL_OF[word]} {word}" for word in SYMBOL_OF if SYMBOL_OF[word] in symbols]
    above = [f"In all rows: {'; '.join(f'{k} {v}' for k, v in common.items())}."] if common else []
    if symbols:
        above.append(f"A cell: our value, verdict, (published value). {', '.join(legend)}.")
    if variants.any():
        remarks.append(f"{variants.sum()} rows of variants are left out: -v shows them.")
    above += remarks
    lines = [*_headings(shown.cells, width), *shown.cells.astype(str).values.tolist()]
    body = text_writer.blocks(lines, shown.keys, width)
    above = [textwrap.fill(words, width) for words in (table.title, *table.notes, *above)]
    return "\n".join([*above, *body, ""])


def _merged(full: pd.DataFrame, keys: int) -> tuple[_Shown, set[str]]:
    """The columns with value, verdict and published value in one cell, and the symbols in use."""
    columns: dict[str, list[str]] = {}
    symbols: set[str] = set()
    names = list(map(str, full))
    published = [name for name in names if f"{name} published" in names]
    extra = {" ".join(pair) for pair in product(published, ("published", "verdict"))}
    for name in names:
        if name in published:
            marks = [SYMBOL_OF.get(word.split(" (")[0], "") for word in full[f"{name} verdict"]]
            symbols |= set(filter(None, marks))
            rows = zip(full[name], marks, full[f"{name} published"], strict=True)
            columns[name] = [f"{ours} {mark} ({its})" if its else ours for ours, mark, its in rows]
        elif name not in extra:
            columns[name] = list(full[name])
    scores = tuple(name for name in list(columns)[keys:] if name not in NOT_SCORES)
    return _Shown(pd.DataFrame(columns), scores, tuple(published), keys), symbols


def _without_equal_columns(shown: _Shown) -> tuple[_Shown, Mapping[str, str]]:
    """The table without the columns whose rows are all equal, and these columns with their text."""
    cells = shown.cells
    if len(cells) < 2:
        return shown, {}
    first = cells.iloc[0]
    equal = [
        name
        for name in map(str, cells)
        if name not in ("method", *shown.published) and first[name] and cells[name].nunique() == 1
    ]
    keys = [name for name in list(cells)[: shown.keys] if name not in equal]
    scores = tuple(name for name in shown.scores if name not in equal)
    rest = _Shown(cells.drop(columns=equal), scores, shown.published, len(keys))
    return rest, {str(name): first[name] for name in equal}


def _without_equal_rows(cells: pd.DataFrame) -> pd.DataFrame:
    """The table with one row for each method whose rows are equal at all values of epsilon."""
    if not {"method", "epsilon"} <= {*cells}:
        return cells
    others = [name for name in cells if name != "epsilon"]
    counts = cells.groupby(others, sort=False)["epsilon"].transform("nunique")
    is_equal = counts.eq(cells["epsilon"].nunique()) & counts.gt(1)
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


def _narrowed(shown: _Shown, width: int) -> tuple[_Shown, list[str]]:
    """The table with as many scores as fit the width, and sentences about what is left out."""
    cells, remarks = shown.cells, []
    if _width(cells) > width:
        cells = cells.replace(SPREAD, "", regex=True)
        remarks.append("Standard deviations are in table.md.")
    statuses = _privacy_of_methods(cells)
    if statuses and _width(cells) > width:
        cells = cells.drop(columns="privacy")
        remarks.append(statuses)
    optional = [name for name in shown.scores if name not in shown.published]
    if not shown.published:
        optional = optional[FEWEST_SCORES:]
    dropped: list[str] = []
    while optional and _width(cells) > width:
        dropped.insert(0, optional.pop())
        cells = cells.drop(columns=dropped[0])
    if dropped:
        remarks.append(f"Not shown: {', '.join(dropped)} (table.md).")
    scores = tuple(name for name in shown.scores if name in cells)
    return _Shown(cells, scores, shown.published, shown.keys), remarks


def _headings(cells: pd.DataFrame, width: int) -> list[list[str]]:
    """The headings of a table in one line, or in two lines if they make the table too wide."""
    names = ["ε" if name == "epsilon" else str(name) for name in cells]
    widths = [max(len(name), *map(len, cells[key])) for name, key in zip(names, cells, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) <= width:
        return [names]
    above, below = zip(*map(_halves, names), strict=True)
    return [list(above), list(below)] if any(above) else [names]


def _halves(heading: str) -> tuple[str, str]:
    """A heading in two lines of nearly equal length; the first line of a single word is empty."""
    words = heading.split(" ")
    pairs = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(len(words))]
    return min(pairs, key=lambda pair: max(map(len, pair)))


def _width(cells: pd.DataFrame) -> int:
    """The least width of a table with two blanks between its columns."""
    headings = ["ε" if name == "epsilon" else max(_halves(str(name)), key=len) for name in cells]
    widths = [
        max(len(heading), *map(len, cells[name]))
        for heading, name in zip(headings, cells, strict=True)
    ]
    return sum(widths) + 2 * (len(widths) - 1)
