"""Reads and writes covered.json: our values of the cells that each deviation covers.

A deviation explains the difference that its author saw, and not another one. The file
experiments/<paper>/covered.json therefore has our mean of each covered cell:

    {"ID OF THE DEVIATION": {"ARTEFACT: CELL": MEAN}}

If our mean moves by more than the margin of equivalence, then the deviation no longer covers the
cell, and `dpfair check` fails. `dpfair check PAPER --record` writes the present values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dpfair_cli.contracts.files import write_text
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.deviations.coverage import explain_cells, key_of
from dpfair_cli.verdicts.deviations.deviation import Deviation

FILE = "covered.json"
DIGITS = 6  # of a recorded mean; a margin is far larger

Recorded = Mapping[str, Mapping[str, float]]


def read_recorded(folder: Path) -> Recorded | None:
    """The recorded means in experiments/<paper>; None without a file covered.json."""
    file = folder / FILE
    if not file.is_file():
        return None
    content: Recorded = json.loads(file.read_text(encoding="utf-8"))
    return content


def with_recorded(deviations: Iterable[Deviation], recorded: Recorded | None) -> list[Deviation]:
    """The deviations, each with the means that were recorded for its cells."""
    if recorded is None:
        return list(deviations)
    return [replace(one, seen=recorded.get(one.id, {})) for one in deviations]


def record(
    cells: Iterable[JudgedCell], deviations: Sequence[Deviation]
) -> dict[str, dict[str, float]]:
    """Our means of the cells that differ, by the deviation that covers each."""
    anew = [replace(one, seen=None) for one in deviations]
    found: dict[str, dict[str, float]] = {}
    for cell in explain_cells(cells, anew):
        if cell.deviation and cell.default and cell.verdict is CellVerdict.DIFFERS:
            own = found.setdefault(cell.deviation.id, {})
            own[key_of(cell)] = round(cell.default.ours.mean, DIGITS)
    return found


def write_recorded(recorded: Recorded, folder: Path) -> Path:
    """Writes covered.json into experiments/<paper>; returns the path."""
    text = json.dumps(recorded, indent=1, sort_keys=True, ensure_ascii=False)
    write_text(folder / FILE, f"{text}\n")
    return folder / FILE
