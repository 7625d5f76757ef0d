"""The files that an artefact is made of on two sides, and what of it can have changed by those that
differ.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from dpfair_cli.diff.results import CELLS, CLAIMS, NUMBERS
from dpfair_cli.diff.sides import Side
from dpfair_cli.verdicts.deviations import entries_of_artefact
from dpfair_cli.verdicts.published import read_entries

Input = tuple[Path | None, Callable[[Path | None, str], object], Sequence[str]]


def affected(artefact: str, before: Side, after: Side) -> frozenset[str]:
    """What can have changed of an artefact (NUMBERS, CELLS, CLAIMS), by the inputs that differ."""
    name = artefact.split("/")[1]
    pairs = zip(_inputs(artefact, before), _inputs(artefact, after), strict=True)
    moved = [
        kinds
        for (one, read, kinds), (other, _, _) in pairs
        if read_bytes(one) != read_bytes(other) and read(one, name) != read(other, name)
    ]
    return frozenset(kind for kinds in moved for kind in kinds)


def read_bytes(file: Path | None) -> bytes | None:
    """The content of a file, None if there is none."""
    return file.read_bytes() if file and file.is_file() else None


def _inputs(artefact: str, side: Side) -> list[Input]:
    """The files that an artefact is made of on a side, what of each is about it, and what it
    affects.
    """
    folder = side.experiments / artefact.split("/")[0]
    return [
        (side.journals.get(artefact), _all_of_it, (NUMBERS, CELLS, CLAIMS)),
        (side.experiments / f"{artefact}.yaml", _all_of_it, (NUMBERS, CELLS, CLAIMS)),
        (folder / "published.csv", _published, (CELLS,)),
        (folder / "claims.yaml", _claims, (CLAIMS,)),
        (folder / "deviations.yaml", _deviations, (CELLS, CLAIMS)),
    ]


def _all_of_it(file: Path | None, name: str) -> bytes | None:
    return read_bytes(file)


def _published(file: Path | None, name: str) -> list[dict[str, str]]:
    """The lines of published.csv that are about the artefact."""
    text = (read_bytes(file) or b"").decode("utf-8-sig")
    return [line for line in csv.DictReader(io.StringIO(text)) if line.get("artefact") == name]


def _claims(file: Path | None, name: str) -> list[object]:
    """The claims with a part about the artefact, as they are written."""
    return [claim for claim in _entries(file) if name in str(claim)]


def _deviations(file: Path | None, name: str) -> list[object]:
    """The deviations of the artefact, as they are written."""
    return list(entries_of_artefact(name, _entries(file)))


def _entries(file: Path | None) -> list[dict[str, object]]:
    return read_entries(file) if file else []
