"""Published cells, claims and deviations of a paper, read from experiments/<paper>."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.authors import FILES as AUTHORS_FILES
from dpfair_cli.verdicts.authors import AuthorsValue, read_authors_values
from dpfair_cli.verdicts.cells.published import PublishedCell, read_published_cells
from dpfair_cli.verdicts.claims.claim import ClaimPart, read_claims
from dpfair_cli.verdicts.deviations.deviation import (
    RECORDED,
    Deviation,
    read_deviations,
    read_recorded,
    with_recorded,
)

# that a paper is read from
FILES = ("published.csv", "claims.yaml", "deviations.yaml", RECORDED, *AUTHORS_FILES)


@dataclass(frozen=True, eq=False)
class Paper:
    """The published values, claims and deviations in a folder experiments/<paper>."""

    published: Sequence[PublishedCell] = ()
    claims: Sequence[ClaimPart] = ()  # the parts of the claims
    deviations: Sequence[Deviation] = ()
    folder: Path = Path()  # to which links in deviations are relative
    authors: Sequence[AuthorsValue] = ()  # of the program that the authors published

    def cells_of(self, spec: Spec) -> list[PublishedCell]:
        """The published cells of one artefact, under the present names of their scores."""
        renamed = spec.task.study.renamed
        own = [cell for cell in self.published if cell.artefact == spec.name]
        return [
            replace(cell, metric=renamed[cell.metric]) if cell.metric in renamed else cell
            for cell in own
        ]

    def claims_of(self, artefact: str) -> list[ClaimPart]:
        """The parts of claims that are about one artefact."""
        return [part for part in self.claims if part.artefact == artefact]

    def deviations_of(self, artefact: str) -> list[Deviation]:
        """The deviations of the cells of one artefact, and of the claims about the artefact."""
        own = {part.id for part in self.claims_of(artefact)}
        return [one for one in self.deviations if artefact in one.artefact or one.claim in own]


def read_paper(folder: Path) -> Paper:
    """The paper in a folder experiments/<paper>; a file that does not exist counts as empty.

    Raises:
        DpfairError: an entry is invalid; the message names the file, the entry and the mistake.
    """
    return Paper(
        read_published_cells(folder / "published.csv"),
        read_claims(folder / "claims.yaml"),
        with_recorded(read_deviations(folder / "deviations.yaml"), read_recorded(folder)),
        folder,
        read_authors_values(folder),
    )
