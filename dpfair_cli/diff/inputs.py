"""The input files of an artefact on two sides, and the parts of the artefact that they affect."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.diff.results import CELLS, CLAIMS, NUMBERS
from dpfair_cli.diff.sides import ComparedState

Input = tuple[Path | None, Callable[[Path | None, str], object], Sequence[str]]


def affected(artefact: str, before: ComparedState, after: ComparedState) -> frozenset[str]:
    """The parts of an artefact (NUMBERS, CELLS, CLAIMS) that the differing input files affect."""
    name = artefact.split("/")[1]
    pairs = zip(_inputs(artefact, before), _inputs(artefact, after), strict=True)
    moved = [
        kinds
        for (one, read, kinds), (other, _, _) in pairs
        if read_bytes(one) != read_bytes(other) and read(one, name) != read(other, name)
    ]
    return frozenset(kind for kinds in moved for kind in kinds)


def read_bytes(file: Path | None) -> bytes | None:
    """The content of a file; None if the file does not exist."""
    return file.read_bytes() if file and file.is_file() else None


def _inputs(artefact: str, side: ComparedState) -> list[Input]:
    """The input files of an artefact: content that concerns the artefact, and what it affects."""
    folder = side.experiments / artefact.split("/")[0]
    return [
        (side.journals.get(artefact), _all_of_it, (NUMBERS, CELLS, CLAIMS)),
        (side.experiments / f"{artefact}.yaml", _all_of_it, (NUMBERS, CELLS, CLAIMS)),
        (folder / "published.csv", _published, (CELLS,)),
        (folder / "claims.yaml", _entries, (CLAIMS,)),
        (folder / "deviations.yaml", _entries, (CELLS, CLAIMS)),
    ]


def _all_of_it(file: Path | None, name: str) -> bytes | None:
    return read_bytes(file)


def _published(file: Path | None, name: str) -> list[dict[str, str]]:
    """The lines of a file published.csv that belong to the artefact `name`."""
    return _lines_by_artefact(read_bytes(file) or b"").get(name, [])


@lru_cache(maxsize=16)
def _lines_by_artefact(content: bytes) -> dict[str, list[dict[str, str]]]:
    """The lines of a published.csv, grouped by artefact."""
    found: dict[str, list[dict[str, str]]] = {}
    for line in csv.DictReader(io.StringIO(content.decode("utf-8-sig"))):
        found.setdefault(line.get("artefact", ""), []).append(line)
    return found


def _entries(file: Path | None, name: str) -> list[object]:
    """The entries of a YAML file of claims or deviations that may belong to the artefact `name`.

    A deviation of a claim may omit the artefact.
    """
    entries = (read_yaml(file) or []) if file and file.is_file() else []
    return [one for one in entries if name in str(one) or "artefact" not in str(one)]
