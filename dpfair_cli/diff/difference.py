"""The differences between two sides, as records: cells, numbers, claims and pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.diff.results import ComparedNumber
from dpfair_cli.verdicts.claims.judging import JudgedClaim


class Changed(NamedTuple):
    """A number, a published cell or a claim that differs between two states of the results."""

    name: str
    """The description of the number or cell, or the id of the claim."""

    before: ComparedNumber | JudgedClaim | None
    """The item before; None if there was none."""

    after: ComparedNumber | JudgedClaim | None
    """The item after; None if there is none."""

    causes: tuple[str, ...]
    """The causes of the change."""

    @property
    def verdicts(self) -> tuple[str, str]:
        """The verdicts before and after on a number, cell or claim; empty without a verdict."""
        before, after = (side.full_verdict if side else "" for side in (self.before, self.after))
        return before, after

    @property
    def verdict_changed(self) -> bool:
        """Whether the verdicts on a number, cell or claim before and after differ."""
        return self.verdicts[0] != self.verdicts[1]


@dataclass(frozen=True)
class ArtefactChange:
    """The differences of one artefact between two states of the results."""

    artefact: str
    """The artefact, such as "xu2021/table8.1"."""

    state: str
    """The state of the artefact: "changed", "new" (only after) or "gone" (only before)."""

    cells: tuple[Changed, ...]
    """The published cells that differ."""

    numbers: tuple[Changed, ...]
    """The other numbers of the artefact that differ."""

    claims: tuple[Changed, ...]
    """The claims that differ."""

    pictures: tuple[str, ...]
    """The file names of the pictures whose bytes differ."""

    remarks: tuple[str, ...]
    """Messages about things that could not be compared."""

    before: Path | None
    """The folder of the artefact's results before."""

    after: Path | None
    """The folder of the artefact's results after."""

    @property
    def causes(self) -> dict[str, int]:
        """The causes of changes of an artefact with their counts, the most frequent cause first."""
        changes = (*self.cells, *self.numbers, *self.claims)
        return dict(Counter(cause for change in changes for cause in change.causes).most_common())

    @property
    def verdicts(self) -> tuple[Changed, ...]:
        """The published cells and claims of an artefact whose verdict changed."""
        return tuple(change for change in (*self.cells, *self.claims) if change.verdict_changed)

    @property
    def tells_something(self) -> bool:
        """Whether a comparison of an artefact has any difference to show."""
        parts = (self.cells, self.numbers, self.claims, self.pictures, self.remarks)
        return self.state != "changed" or any(parts)


@dataclass(frozen=True)
class Difference:
    """The differences between two states of the results, each a commit, a folder or a journal."""

    before: str
    """The name of the first side."""

    after: str
    """The name of the second side."""

    libraries: tuple[str, ...]
    """The libraries that differ, in words."""

    artefacts: tuple[ArtefactChange, ...]
    """The artefacts that changed."""

    same: int
    """The number of artefacts that did not change."""
