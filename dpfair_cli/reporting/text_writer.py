"""Writes rows as text: aligned columns, long texts next to a label, and plain tables."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from dpfair_cli.contracts.specs import Table

INDENT = "  "
LABEL = 21  # width of a label with the space after the label
NARROWEST = 20  # least width of a text next to a label
Paint = Callable[[str, str], str]  # (text, tone as in `looks`) -> text in colour


@dataclass(frozen=True)
class TextForm:
    """The form of a text: width, colours, and how much is written."""

    width: int
    """The width of the terminal; 0 for lines of any length."""

    paint: Paint
    """The function that colours a verdict."""

    is_full: bool = False
    """Whether cells and claims that agree are written too, and causes are not cut to one line."""

    @property
    def most_lines(self) -> int | None:
        """The largest number of lines for the cause of a cell; None for no limit."""
        return None if self.is_full else 1

    def wrapped(self, words: str, columns: int) -> list[str]:
        """A text in lines of `columns` characters; a text that is cut ends with "…"."""
        return textwrap.wrap(words, columns, max_lines=self.most_lines, placeholder=" …")


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


def labelled(name: str, words: str, columns: int = 0) -> list[str]:
    """Lines with the label `name` and a text, wrapped next to it if a width is given."""
    room = max(NARROWEST, columns - len(INDENT) - LABEL)
    parts = textwrap.wrap(words, room) if columns else [words]
    names = [name, *[""] * (len(parts) - 1)]
    return [f"{INDENT}{one:<{LABEL}}{part}" for one, part in zip(names, parts or [""], strict=True)]


def table(table: Table, *, width: int = 0) -> str:
    """The text of a table for a terminal that is `width` characters wide; 0 for no limit."""
    body = blocks([table.columns, *table.lines], number_of_keys(table), width)
    return "\n".join((table.title, *table.notes, *body, ""))


def number_of_keys(table: Table) -> int:
    """The number of columns at the beginning of a table that identify a line."""
    return next((k for k, name in enumerate(table.numbers) if str(name).endswith("_mean")), 1)


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
