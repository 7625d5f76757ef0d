"""What is known of a paper besides its specs: published cells, claims and deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpfair_cli.verdicts.cells.published import PublishedCell, read_published_cells
from dpfair_cli.verdicts.claims.claim import ClaimPart, read_claims
from dpfair_cli.verdicts.deviations.deviation import Deviation, read_deviations


@dataclass(frozen=True, eq=False)
class Paper:
    """The files of experiments/<paper> other than its specs."""

    published: Sequence[PublishedCell] = ()
    """Its published cells."""

    claims: Sequence[ClaimPart] = ()
    """The parts of its claims."""

    deviations: Sequence[Deviation] = ()
    """What explains its differences."""

    folder: Path = Path()
    """Where the links of its deviations begin."""

    def cells_of(self, artefact: str) -> list[PublishedCell]:
        """Its published cells of one artefact."""
        return [cell for cell in self.published if cell.artefact == artefact]

    def claims_of(self, artefact: str) -> list[ClaimPart]:
        """The parts of its claims that are about one artefact."""
        return [part for part in self.claims if part.artefact == artefact]

    def deviations_of(self, artefact: str) -> list[Deviation]:
        """Its deviations of one artefact; of a claim, those of the claim's artefact."""
        own = {part.id for part in self.claims_of(artefact)}
        return [one for one in self.deviations if artefact in one.artefact or one.claim in own]


def read_paper(folder: Path) -> Paper:
    """The paper of a folder experiments/<paper>; a file that is not there holds nothing.

    Raises:
        DpfairError: names the file, the entry and what is wrong with it.
    """
    return Paper(
        read_published_cells(folder / "published.csv"),
        read_claims(folder / "claims.yaml"),
        read_deviations(folder / "deviations.yaml"),
        folder,
    )
