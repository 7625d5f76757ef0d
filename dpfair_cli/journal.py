"""The journal of an artefact: one run a line, appended as runs end, rewritten in order when all are there."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpfair_cli.contracts import DpfairError

Row = dict[str, Any]


def key(row: Row) -> str:
    """What identifies a run: everything in its row but the scores."""
    return json.dumps({name: value for name, value in row.items() if name != "scores"}, sort_keys=True)


class Journal:
    """The rows of a file `runs.jsonl`, by key."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Row] = {key(row): row for row in self._read()}

    def append(self, rows: Iterable[Row]) -> None:
        """Add finished runs: on disk when this returns."""
        rows = list(rows)
        with self.path.open("a", encoding="utf-8") as file:
            file.write("".join(_line(row) for row in rows))
            file.flush()
            os.fsync(file.fileno())
        self.rows |= {key(row): row for row in rows}

    def rewrite(self, order: Iterable[str]) -> None:
        """Put the rows with keys in `order` first, in that order; the same rows then always give the same bytes."""
        first = [name for name in dict.fromkeys(order) if name in self.rows]
        rest = sorted(self.rows.keys() - set(first))
        text = "".join(_line(self.rows[name]) for name in [*first, *rest])
        if self.path.exists() and self.path.read_text(encoding="utf-8") == text:
            return
        draft = self.path.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(self.path)

    def _read(self) -> list[Row]:
        if not self.path.exists():
            return []
        text = self.path.read_text(encoding="utf-8")
        whole, _, torn = text.rpartition("\n")
        if torn:  # a kill in mid-write leaves half a line: drop it
            self.path.write_text(whole + "\n" if whole else "", encoding="utf-8")
        return [self._parsed(number, line) for number, line in enumerate(whole.splitlines(), start=1)]

    def _parsed(self, number: int, line: str) -> Row:
        try:
            row = json.loads(line)
            return {**row, "scores": {name: _number(value) for name, value in row["scores"].items()}}
        except (ValueError, KeyError, TypeError) as error:
            cause = f"{self.path.name}: line {number} is not a run; restore the file or delete the line"
            raise DpfairError(cause) from error


def _line(row: Row) -> str:
    scores = {name: None if math.isnan(value) else value for name, value in row["scores"].items()}
    return json.dumps({**row, "scores": scores}, allow_nan=False) + "\n"


def _number(value: float | None) -> float:
    return math.nan if value is None else value
