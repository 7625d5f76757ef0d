"""What changed between two sides: cells, numbers, claims and pictures, artefact by artefact."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dpfair_cli.diff.results import Number
from dpfair_cli.verdicts.claims.judging import JudgedClaim


class Changed(NamedTuple):
    """A number, a published cell or a claim that differs between the sides."""

    name: str
    """Its description, or the id of a claim."""

    before: Number | JudgedClaim | None
    """What it was; None: not there."""

    after: Number | JudgedClaim | None
    """What it is."""

    causes: tuple[str, ...]
    """Why it changed."""

    @property
    def verdicts(self) -> tuple[str, str]:
        """The verdicts before and after; empty where a side lacks the item or a verdict."""
        before, after = (side.full_verdict if side else "" for side in (self.before, self.after))
        return before, after

    @property
    def verdict_changed(self) -> bool:
        """Whether the verdicts before and after differ."""
        return self.verdicts[0] != self.verdicts[1]


@dataclass(frozen=True)
class ArtefactChange:
    """The differences of one artefact between the sides."""

    artefact: str
    """The artefact, such as "xu2021/table8.1"."""

    state: str
    """Whether it is "changed", "new" or "gone"."""

    cells: tuple[Changed, ...]
    """Its published cells."""

    numbers: tuple[Changed, ...]
    """All other numbers that it shows."""

    claims: tuple[Changed, ...]
    """Its claims."""

    pictures: tuple[str, ...]
    """The file names of pictures with other bytes."""

    remarks: tuple[str, ...]
    """What could not be compared."""

    before: Path | None
    """The folder of its results before."""

    after: Path | None
    """The folder of its results after."""

    @property
    def causes(self) -> dict[str, int]:
        """The number of changes with each cause, the most frequent cause first."""
        changes = (*self.cells, *self.numbers, *self.claims)
        return dict(Counter(cause for change in changes for cause in change.causes).most_common())

    @property
    def verdicts(self) -> tuple[Changed, ...]:
        """The published cells and claims whose verdict changed."""
        return tuple(change for change in (*self.cells, *self.claims) if change.verdict_changed)

    @property
    def tells_something(self) -> bool:
        """Whether the artefact has any difference to show."""
        parts = (self.cells, self.numbers, self.claims, self.pictures, self.remarks)
        return self.state != "changed" or any(parts)


@dataclass(frozen=True)
class Difference:
    """The differences between two sides."""

    before: str
    """The name of one side."""

    after: str
    """The name of the other."""

    libraries: tuple[str, ...]
    """The libraries that differ, in words."""

    artefacts: tuple[ArtefactChange, ...]
    """The artefacts that changed."""

    same: int
    """How many did not."""
