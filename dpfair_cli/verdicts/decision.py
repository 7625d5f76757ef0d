"""The verdicts on one artefact: what its rows say of its published cells and claims, and what
explains the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts import deviations
from dpfair_cli.verdicts.claims import decide_claims
from dpfair_cli.verdicts.comparison import compare_cells
from dpfair_cli.verdicts.discrimination import pair_variants, pair_wrongly
from dpfair_cli.verdicts.evidence import Evidence, unsupported_entries
from dpfair_cli.verdicts.published import Paper


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts on one artefact.

    `cells` are the lines of `compare_cells`, `claims` those of `decide_claims`, both with the kinds
    and causes of their deviations, which are the lines of `deviations`; `wrong_pairings` are those
    of `pair_wrongly`, `variant_pairings` those of `pair_variants`. `stale_deviations` describes the
    deviations of which nothing differs any more, `unsupported_deviations` those whose kind their
    evidence does not bear, `impossible_scores` the runs with a score that no run can have.
    `standins` says of a data set that it is a "REPLICA" or a "SUBSTITUTE" of the paper's.
    """

    standins: Mapping[str, str]
    cells: pd.DataFrame
    claims: pd.DataFrame
    wrong_pairings: pd.DataFrame
    variant_pairings: pd.DataFrame
    deviations: pd.DataFrame
    stale_deviations: tuple[str, ...]
    unsupported_deviations: tuple[str, ...]
    impossible_scores: tuple[str, ...] = ()

    @property
    def default_cells(self) -> pd.DataFrame:
        """One line for each published cell: its default variant."""
        return self.cells[self.cells["is_default"].astype(bool)]

    @property
    def cell_counts(self) -> Counter[str]:
        """The number of published cells with each verdict; one that differs has its kind with it."""
        return Counter(map(name_verdict, self.default_cells["verdict"], self.default_cells["kind"]))

    @property
    def failures(self) -> tuple[str, ...]:
        """What makes `check` exit with 1: cells and claims that do not come out and that no entry
        names.
        """
        cells = self.default_cells
        cells = cells[cells["verdict"].isin(["differs", "missing"]) & (cells["kind"] == "")]
        theirs = self.claims[self.claims["ours"] == ""]
        claims = theirs[(theirs["verdict"] == "fails") & (theirs["kind"] == "")]
        lines = zip(cells["cell"], cells["verdict"], cells["cause"], strict=True)
        told = (
            f"{cell}: {verdict}" + (f" ({cause})" if cause else "")
            for cell, verdict, cause in lines
        )
        return (*told, *(claims["id"] + ": fails"))


def name_verdict(verdict: str, kind: str) -> str:
    """A verdict with the kind of its deviation, such as "differs (variant)"."""
    return f"{verdict} ({kind})" if kind else verdict


def decide_artefact(
    rows: pd.DataFrame,
    spec: Spec,
    paper: Paper,
    *,
    standins: Mapping[str, str],
    unpublished: Mapping[str, str] | None = None,
) -> Verdicts:
    """Compare the rows with the paper's cells of this artefact and decide its claims.

    `unpublished` says of data sets that we made what their makers did not publish.
    """
    entries = deviations.entries_of_artefact(spec.name, paper.deviations)
    of_artefact = paper.claims_of(spec.name)
    cells, claims = decide_cells_and_claims(rows, spec, paper, standins=standins)

    def holds_under(claim: str, variant: str) -> bool:
        named = [part for part in of_artefact if part["id"] == claim]
        found = decide_claims(named, _rows_under(rows, spec, variant), spec, standins)
        is_run = any(
            method == f"{name}, {variant}" for method, name in spec.published_labels.items()
        )
        return is_run and bool(len(found)) and bool((found["verdict"] == "holds").all())

    evidence = Evidence({*standins, *(unpublished or {})}, paper.folder, holds_under)
    return Verdicts(
        standins=standins,
        cells=cells,
        claims=claims,
        wrong_pairings=pair_wrongly(cells, spec),
        variant_pairings=pair_variants(cells, spec),
        deviations=deviations.tabulate_entries(entries, cells, claims),
        stale_deviations=deviations.stale_entries(entries, cells, claims),
        unsupported_deviations=unsupported_entries(entries, cells, claims, evidence),
        impossible_scores=tuple(impossible_scores(rows, spec)),
    )


def impossible_scores(rows: pd.DataFrame, spec: Spec) -> Iterator[str]:
    """The rows with a score outside its range, in words, such as "csv, FM, seed 2: accuracy 7.5 is
    not in 0 to 1".
    """
    for name, (low, high) in spec.task.score_ranges.items():
        if name in rows and name != spec.task.study.axis:
            outside = rows[(rows[name] < low) | (rows[name] > high)]
            for line in outside.to_dict("records"):
                place = f"{line['dataset']}, {line['method']}, seed {line['seed']}"
                yield f"{place}: {name} {line[name]:g} is not in {low:g} to {high:g}"


def decide_cells_and_claims(
    rows: pd.DataFrame, spec: Spec, paper: Paper, *, standins: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The lines of `compare_cells` and of `decide_claims`, with the kinds and causes of their
    deviations.
    """
    entries = deviations.entries_of_artefact(spec.name, paper.deviations)
    cells = compare_cells(rows, spec, paper.published, standins=standins)
    deviations.check_entries(entries, set(cells.columns.astype(str)))
    claims = decide_claims(paper.claims_of(spec.name), rows, spec, standins)
    return (
        deviations.attach_causes_to_cells(cells, entries),
        deviations.attach_causes_to_claims(claims, entries),
    )


def _rows_under(rows: pd.DataFrame, spec: Spec, variant: str) -> pd.DataFrame:
    """The rows with those of a variant under the names of the methods that it is a variant of."""
    read = {
        method: name
        for method, name in spec.published_labels.items()
        if method == f"{name}, {variant}"
    }
    kept = rows[~rows["method"].isin(list(read.values()))]
    return kept.assign(method=kept["method"].replace(read))
