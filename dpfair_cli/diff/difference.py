"""What a comparison of two sides found: the cells, numbers, claims and pictures that changed,
artefact by artefact.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.diff.results import Claimed, State


class Changed(NamedTuple):
    """A number, a published cell or a claim that changed: its name, both states (None: not there),
    and why.
    """

    name: str
    before: State | Claimed | None
    after: State | Claimed | None
    causes: tuple[str, ...]

    @property
    def verdict_changed(self) -> bool:
        """Whether its verdict is another one."""
        verdicts = [side.verdict if side else "" for side in (self.before, self.after)]
        return verdicts[0] != verdicts[1]


@dataclass(frozen=True)
class ArtefactChange:
    """What changed of one artefact.

    `state` is "changed", "new" or "gone"; `cells` are published ones, `numbers` all others that it
    shows; `pictures` are file names of `before` and `after`, its folders on the two sides;
    `remarks` say what could not be compared.
    """

    artefact: str
    state: str
    cells: tuple[Changed, ...]
    numbers: tuple[Changed, ...]
    claims: tuple[Changed, ...]
    pictures: tuple[str, ...]
    remarks: tuple[str, ...]
    before: Path | None
    after: Path | None

    @property
    def causes(self) -> dict[str, int]:
        """Each cause with the number of cells, numbers and claims that it stands at, the most
        frequent first.
        """
        changes = (*self.cells, *self.numbers, *self.claims)
        return dict(Counter(cause for change in changes for cause in change.causes).most_common())

    @property
    def verdicts(self) -> tuple[Changed, ...]:
        """The published cells and claims whose verdict changed."""
        return tuple(change for change in (*self.cells, *self.claims) if change.verdict_changed)

    @property
    def tells_something(self) -> bool:
        """Whether there is anything to show of it."""
        parts = (self.cells, self.numbers, self.claims, self.pictures, self.remarks)
        return self.state != "changed" or any(parts)


@dataclass(frozen=True)
class Difference:
    """What changed between two sides: their names, libraries in words, artefacts, and how many of
    all are the same.
    """

    before: str
    after: str
    libraries: tuple[str, ...]
    artefacts: tuple[ArtefactChange, ...]
    same: int
