"""An artefact with its verdicts, and with its table, as commands and pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.shown import ShownCell, ShownClaim, shown_cell, shown_claim
from dpfair_cli.verdicts.decision import Verdicts


@dataclass(frozen=True, eq=False)
class JudgedArtefact:
    """An artefact with its verdicts, as `dpfair check` shows it."""

    spec: Spec
    """The spec of the artefact."""

    verdicts: Verdicts
    """The verdicts on the artefact."""

    @property
    def paper(self) -> str:
        """The key of the artefact's paper, such as xu2021."""
        return self.spec.paper

    @cached_property
    def cells(self) -> tuple[ShownCell, ...]:
        """What is shown of each published cell of the artefact."""
        return tuple(map(shown_cell, self.verdicts.cells))

    @cached_property
    def claims(self) -> tuple[ShownClaim, ...]:
        """What is shown of each claim about the artefact."""
        return tuple(map(shown_claim, self.verdicts.claims))

    @property
    def picture(self) -> str:
        """The path of the artefact's figure relative to the report; empty for a table."""
        name = self.spec.layout.picture
        return f"{self.spec.artefact}/{name}" if name else ""

    @property
    def compared(self) -> int:
        """The number of published cells of the artefact that were compared with our runs."""
        return len(self.verdicts.compared)

    @property
    def near(self) -> int:
        """The number of published cells of the artefact that are reproduced or consistent."""
        return sum(cell.verdict.agrees for cell in self.verdicts.cells)


@dataclass(frozen=True, eq=False)
class ReportedArtefact(JudgedArtefact):
    """An artefact with its verdicts and its table, as the report shows it."""

    table: Table
    """The table; for a figure, the table is folded below the picture."""
