"""The checksum manifest of a paper: row counts and SHA-256 of its values and its journals.

The values are those of published.csv and authors.csv.

`dpfair check --all --update-checksums` writes experiments/<paper>/checksums.json. After that,
`dpfair check` fails if a row was changed, added or deleted. After an intended change, the manifest
must be updated, and the diff of the commit then shows which files changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.files import write_text

FILE = "checksums.json"
PUBLISHED = "published.csv"
AUTHORS = "authors.csv"  # the values of the authors' program, if we ran it


class Checksum(NamedTuple):
    """The number of rows of a file, without its header, and the SHA-256 of its bytes."""

    rows: int
    sha256: str


def compute(paper: Path, journals: Mapping[str, Path]) -> dict[str, Checksum]:
    """The checksums of a paper's values and journals; `journals` maps artefacts to files.

    Files that do not exist are left out.
    """
    headers = {PUBLISHED: 1, AUTHORS: 1}  # journals have no header
    files = {PUBLISHED: paper / PUBLISHED, AUTHORS: paper / AUTHORS, **journals}
    existing = {name: file for name, file in files.items() if file.is_file()}
    return {name: _checksum(file, headers.get(name, 0)) for name, file in existing.items()}


def _checksum(file: Path, header: int) -> Checksum:
    """The checksum of a file whose first `header` lines are no rows."""
    content = file.read_bytes()
    rows = sum(map(bool, content.splitlines())) - header  # empty lines do not count
    return Checksum(rows, hashlib.sha256(content).hexdigest())


def read(paper: Path) -> dict[str, Checksum]:
    """The checksum manifest in a paper's folder; empty if there is no manifest."""
    file = paper / FILE
    if not file.is_file():
        return {}
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return {name: Checksum(**entry) for name, entry in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DpfairError(
            f"{paper.name}/{FILE} is not a checksum manifest: restore the file, or write a "
            "new one with --update-checksums"
        ) from error


def write(paper: Path, manifest: Mapping[str, Checksum]) -> Path:
    """Writes the checksum manifest of a paper, and returns its path."""
    write_text(paper / FILE, as_text(manifest))
    return paper / FILE


def as_text(manifest: Mapping[str, Checksum]) -> str:
    """The text of a checksum manifest, one line per file in alphabetical order."""
    lines = [
        f"  {json.dumps(name)}: {json.dumps(checksum._asdict())}"
        for name, checksum in sorted(manifest.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def mismatches(
    paper: str,
    manifest: Mapping[str, Checksum],
    current: Mapping[str, Checksum],
    names: Iterable[str],
) -> list[str]:
    """A line for each of the files `names` whose checksum differs; none for an empty manifest."""
    if not manifest:
        return []
    changed = [name for name in names if manifest.get(name) != current.get(name)]
    return [
        f"{paper}/{name}: {_describe(manifest.get(name), current.get(name))}" for name in changed
    ]


def _describe(recorded: Checksum | None, current: Checksum | None) -> str:
    """How a file differs from the manifest, in words."""
    if recorded is None:
        return "is not in the checksum manifest"
    if current is None:
        return "is in the checksum manifest and does not exist"
    if current.rows != recorded.rows:
        return f"has {current.rows} rows, the checksum manifest says {recorded.rows}"
    return "its content differs from the checksum manifest"
