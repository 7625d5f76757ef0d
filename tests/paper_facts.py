"""What the tests know of a paper: the file papers/PAPER.yaml, which a new paper may add.

Keys, all optional:

- `published_runs`: pattern of artefacts -> number of runs in a published mean, where it is not ten;
  the first pattern that fits holds.
- `fewer_runs`: pattern of artefacts -> number of our runs, where the paper has more, because a run
  is long.
- `nearest_elsewhere`: artefacts whose default was chosen by cells of another artefact.
- `texts`: the numbers with which the names of the paper's texts begin, beside the checkout.
- `glyphs`: two texts of equal length: signs of formulas, and what the text has in their places.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from dpfair_cli.contracts.files import read_yaml
from dpfair_cli.verdicts.cells.published import PublishedCell

FOLDER = Path(__file__).parent / "papers"
KEYS = {"published_runs", "fewer_runs", "nearest_elsewhere", "texts", "glyphs"}


@cache
def facts(paper: str) -> dict[str, Any]:
    """What the tests know of a paper; empty without a file."""
    file = FOLDER / f"{paper}.yaml"
    found = read_yaml(file) if file.exists() else {}
    assert set(found) <= KEYS, f"{file.name} has unknown keys: {set(found) - KEYS}"
    return dict(found)


def number(artefact: str, key: str, otherwise: int) -> int:
    """The number that `published_runs` or `fewer_runs` gives an artefact, or `otherwise`."""
    paper, _, name = artefact.partition("/")
    patterns = facts(paper).get(key, {}).items()
    return next((count for pattern, count in patterns if fnmatchcase(name, pattern)), otherwise)


def is_within(cell: PublishedCell, covers: Mapping[str, tuple[Any, ...]]) -> bool:
    """Whether a published cell has the values that a deviation covers."""
    names = {"dataset": cell.dataset, "method": cell.method, "metric": cell.metric}
    values = names | dict(cell.parameters)
    return all(values.get(name) in allowed for name, allowed in covers.items())
