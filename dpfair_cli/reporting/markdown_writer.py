"""Writes rows as a table in Markdown, and a table of results as its file table.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dpfair_cli.contracts.specs import Table


def cell(text: Any) -> str:
    """A value as one cell of a Markdown table, with its special characters escaped."""
    return str(text).replace("|", r"\|").replace("*", r"\*").replace("\n", " ")


def line(texts: Iterable[Any]) -> str:
    """Values as one line of a Markdown table."""
    return joined(map(cell, texts))


def joined(texts: Iterable[str]) -> str:
    """Texts that are Markdown already as one line of a table."""
    return f"| {' | '.join(texts)} |"


def rows(headings: Sequence[str], lines: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown whose values are escaped, without an end of its last line."""
    return "\n".join([*_head(headings), *map(line, lines)])


def of_cells(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown whose cells are Markdown already."""
    return "\n".join([*_head(headings), *map(joined, lines)])


def _head(headings: Sequence[str]) -> list[str]:
    return [joined(headings), joined(["---"] * len(headings))]


def table(table: Table) -> str:
    """A table of results with its title and notes."""
    notes = [f"**{one}**" if one.split(":")[0].isupper() else one for one in table.notes]
    # the headings name scores and methods of the paper, so that they are escaped too
    body = rows(list(map(cell, table.columns)), table.lines)
    return "\n\n".join([f"# {cell(table.title)}", *notes, body]) + "\n"
