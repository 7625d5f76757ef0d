"""Tests the published cells and claims of one artefact on its runs; levels decide later.

The levels of a paper follow from the p-values of all its cells and claims. So the cells and claims
of an artefact are tested once, and decided at the levels when these are known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import judge_cells
from dpfair_cli.verdicts.claims.testing import PartTest, test_parts
from dpfair_cli.verdicts.paper import Paper


@dataclass(frozen=True, eq=False)
class Tested:
    """The published cells and claims of one artefact, tested on its runs."""

    spec: Spec
    """The artefact."""

    rows: pd.DataFrame
    """Its runs, one row per run."""

    standins: Mapping[str, str]
    """Data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE"."""

    theorems: Mapping[str, TheoremEvidence]
    """The evidence for theorems, by name."""

    cells: tuple[JudgedCell, ...]
    """The published cells, judged at the levels of single tests."""

    claims: tuple[PartTest, ...]
    """The tests of the claims."""


def tested(
    rows: pd.DataFrame,
    spec: Spec,
    paper: Paper,
    *,
    standins: Mapping[str, str],
    theorems: Mapping[str, TheoremEvidence],
) -> Tested:
    """The cells and claims of a paper about an artefact, tested on `rows`, one per run.

    Raises:
        DpfairError: a cell fits several settings of a method, or a claim is malformed.
    """
    cells = judge_cells(rows, spec, paper.cells_of(spec), standins=standins)
    claims = test_parts(paper.claims_of(spec.name), rows, spec, standins, theorems)
    return Tested(spec, rows, standins, theorems, tuple(cells), tuple(claims))
