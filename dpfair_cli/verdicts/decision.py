"""The verdicts on one artefact: what its rows say of its published cells and claims, and what explains the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts import deviations
from dpfair_cli.verdicts.claims import decide_claims
from dpfair_cli.verdicts.comparison import compare_cells
from dpfair_cli.verdicts.published import Paper


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts on one artefact.

    `cells` are the lines of `compare_cells`, `claims` those of `decide_claims`, both with the causes of their
    deviations; `stale_deviations` describes the deviations that explain nothing any more. `standins` says of a data
    set that it is a "REPLICA" or a "SUBSTITUTE" of the paper's.
    """

    standins: Mapping[str, str]
    cells: pd.DataFrame
    claims: pd.DataFrame
    stale_deviations: tuple[str, ...]

    @property
    def default_cells(self) -> pd.DataFrame:
        """One line for each published cell: its default reading."""
        return self.cells[self.cells["is_default"].astype(bool)]

    @property
    def cell_counts(self) -> Counter[str]:
        """The number of published cells with each verdict."""
        return Counter(self.default_cells["verdict"])

    @property
    def failures(self) -> tuple[str, ...]:
        """What makes `check` exit with 1: cells that differ or are missing, and claims that fail, without a cause."""
        cells = self.default_cells[self.default_cells["verdict"].isin(["differs", "missing"])]
        claims = self.claims[(self.claims["verdict"] == "fails") & (self.claims["cause"] == "")]
        return (*(cells["cell"] + ": " + cells["verdict"]), *(claims["id"] + ": fails"))


def decide_artefact(rows: pd.DataFrame, spec: Spec, paper: Paper, *, standins: Mapping[str, str]) -> Verdicts:
    """Compare the rows with the paper's cells of this artefact and decide its claims."""
    entries = deviations.entries_of_artefact(spec.name, paper.deviations)
    cells = compare_cells(rows, spec, paper.published, standins=standins)
    deviations.check_entries(entries, set(cells.columns.astype(str)))
    cells = deviations.attach_causes_to_cells(cells, entries)
    of_artefact = [claim for claim in paper.claims if claim["artefact"] == spec.name]
    claims = deviations.attach_causes_to_claims(decide_claims(of_artefact, rows, spec, standins), entries)
    return Verdicts(standins, cells, claims, deviations.stale_entries(entries, cells, claims))
