"""The seal of a paper: how many rows published.csv and each journal have, and their SHA-256, in experiments/<paper>.

    dpfair check --all --seal

writes experiments/<paper>/seal.json; `check` then fails where a row was changed, added or deleted since. Whoever means
to change rows seals again, and the change of seal.json shows in the commit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.contracts.errors import DpfairError

FILE = "seal.json"
PUBLISHED = "published.csv"


class Content(NamedTuple):
    """What a file holds: its rows, a header not counted, and its SHA-256."""

    rows: int
    sha256: str


def contents(paper: Path, journals: Mapping[str, Path]) -> dict[str, Content]:
    """What published.csv of a paper's folder and its journals, by artefact, hold; files that are not there are none."""
    found = {PUBLISHED: _content(paper / PUBLISHED, header=1)}
    found |= {name: _content(file, header=0) for name, file in journals.items()}
    return {name: content for name, content in found.items() if content.sha256}


def _content(file: Path, *, header: int) -> Content:
    if not file.is_file():
        return Content(0, "")
    content = file.read_bytes()
    return Content(sum(map(bool, content.splitlines())) - header, hashlib.sha256(content).hexdigest())


def read(paper: Path) -> dict[str, Content]:
    """The seal in a paper's folder, empty if there is none.

    Raises:
        DpfairError: the file is not a seal.
    """
    file = paper / FILE
    try:
        content = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        return {name: Content(**entry) for name, entry in content.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise DpfairError(f"{paper.name}/{FILE} is not a seal: restore it, or write it again with --seal") from error


def write(paper: Path, sealed: Mapping[str, Content]) -> Path:
    """Write the seal of a paper, one sorted line a file."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry._asdict())}" for name, entry in sorted(sealed.items())]
    (paper / FILE).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8", newline="\n")
    return paper / FILE


def broken(paper: str, sealed: Mapping[str, Content], now: Mapping[str, Content], names: Iterable[str]) -> list[str]:
    """What is not as it was sealed among the files `names`, in words; nothing where nothing was sealed."""
    return [f"{paper}/{name}: {_change(sealed.get(name), now.get(name))}" for name in names
            if sealed and sealed.get(name) != now.get(name)]  # fmt: skip


def _change(sealed: Content | None, now: Content | None) -> str:
    if sealed is None or now is None:
        return "is not in the seal" if now else "was sealed and is gone"
    return f"{now.rows} rows, sealed with {sealed.rows}" if now.rows != sealed.rows else "other content than was sealed"
