"""A table of results as JSON: the numbers of table.csv, with the title and the notes."""

from __future__ import annotations

from typing import Any

from dpfair_cli.contracts.layouts import Table


def content(table: Table) -> dict[str, Any]:
    """The title, the notes and the lines of a table; a line has the columns of table.csv."""
    lines = table.numbers.to_dict(orient="records")
    return {"title": table.title, "notes": list(table.notes), "lines": lines}
