"""Decides the published cells and claims of one artefact by the rows of its runs, in two steps.

`judge` tests each cell and each claim by itself. The levels of a paper follow from the p-values of
all its cells and claims (`paper_rule.py`). When they are known, `by_rule` gives the verdicts, and
each cell that differs and each claim that fails the deviation that explains it.

A published cell, such as one of Table 8.2, gets its verdict in these files:

1. `cells/published.py` reads it from published.csv.
2. `cells/judging.py` finds the runs of each variant of its method, and compares their mean with it.
3. `cells/comparison.py` is the rule: two tests, their margin, and the verdict at given levels.
4. `deviations/coverage.py` finds the deviation that explains it.

A part of a claim gets its verdict in these:

1. `claims/claim.py` reads it from claims.yaml, with the predicates of `claims/predicates.py`.
2. Each predicate gives a result at each point of the runs that it is about, which
   `claims/point_results.py` tests.
3. `claims/judging.py` combines the p-values of points and predicates, and `claims/verdict.py` has
   the verdict at given levels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from dpfair_cli.contracts.guarantees import TheoremEvidence
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.authors import judge_authors_values
from dpfair_cli.verdicts.cells.judging import at_levels, judge_cells
from dpfair_cli.verdicts.cells.published import parameter_names
from dpfair_cli.verdicts.claims.judging import JudgedClaim, judge_claims
from dpfair_cli.verdicts.claims.verdict import ClaimLevels
from dpfair_cli.verdicts.deviations.coverage import (
    explain_cells,
    explain_claims,
    stale_deviations,
    unsupported_deviations,
)
from dpfair_cli.verdicts.deviations.deviation import Deviation, check_columns
from dpfair_cli.verdicts.means import with_axis_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.verdicts import Verdicts


def judge(
    rows: pd.DataFrame,
    spec: Spec,
    paper: Paper,
    *,
    standins: Mapping[str, str],
    theorems: Mapping[str, TheoremEvidence],
) -> Verdicts:
    """The cells and claims of a paper about an artefact, at the levels of single tests.

    Args:
        rows: The finished runs, one row per run.
        spec: The spec of the artefact.
        paper: The published values, claims and deviations.
        standins: The data sets that are not the paper's, with "REPLICA" or "SUBSTITUTE".
        theorems: The evidence for theorems, by name.

    Raises:
        DpfairError: a method has two runs with one seed at one point, a cell fits several settings
            of a method, or a claim is malformed.
    """
    rows = with_axis_columns(rows, spec)  # here, because an artefact may have no cell and no claim
    cells = judge_cells(rows, spec, paper.cells_of(spec), standins=standins)
    parts = paper.claims_of(spec.name)
    under = {}
    for one in paper.deviations_of(spec.name):
        if one.claim and one.variant:
            named = [part for part in parts if part.id == one.claim]
            renamed = _under_variant(rows, spec, one)
            claims = judge_claims(named, renamed, spec, standins, theorems)
            under[one.claim, one.variant] = tuple(claims)
    return Verdicts(
        spec,
        tuple(cells),
        tuple(judge_claims(parts, rows, spec, standins, theorems)),
        standins,
        authors=judge_authors_values(paper.authors, rows, spec, cells, standins=standins),
        impossible_scores=tuple(impossible_scores(rows, spec)),
        under_variants=under,
    )


def _under_variant(rows: pd.DataFrame, spec: Spec, deviation: Deviation) -> pd.DataFrame:
    """The runs of the variant of a deviation in place of those of the default variants."""
    # label of each method under the variant -> name that the paper gives the method
    names = {
        method: name
        for method, name in spec.published_labels.items()
        if method == f"{name}, {deviation.variant}"
    }
    if not names:  # no method has the variant
        return rows.iloc[:0]
    # the default rows go, so that the claim cannot hold by them
    kept = rows[~rows["method"].isin([*names.values()])]
    return kept.assign(method=kept["method"].replace(names))


def impossible_scores(rows: pd.DataFrame, spec: Spec) -> Iterator[str]:
    """Yields a message for each score outside its range, such as an accuracy above 1."""
    for name, (low, high) in spec.task.score_ranges.items():
        if name in rows and name != spec.task.study.axis:
            scores = rows[name].to_numpy(dtype=float)
            for position in np.flatnonzero((scores < low) | (scores > high)):
                run, score = rows.iloc[position], scores[position]
                place = f"{run['dataset']}, {run['method']}, seed {run['seed']}"
                yield f"{place}: {name} {score:g} is not in {low:g} to {high:g}"


def by_rule(
    judged: Verdicts, paper: Paper, rule: PaperRule, unpublished: Collection[str] = ()
) -> Verdicts:
    """The verdicts on judged cells and claims by the rule of their paper, with their deviations.

    `paper` has the deviations. `unpublished` are the data sets of which the paper does not publish
    how they were made.

    Raises:
        DpfairError: a deviation has a key that no cell has.
    """
    spec = judged.spec
    deviations = paper.deviations_of(spec.name)
    parameters = parameter_names(paper.published)
    # a misspelt key would cover every cell, because a cell that lacks it fits
    check_columns(deviations, {"dataset", "method", "metric", *spec.layout.axes, *parameters})
    cells = [at_levels(cell, rule.levels) for cell in judged.cells]
    claims = _claims_at_levels(judged.claims, rule.claim_levels)
    under = judged.under_variants.items()
    decided = replace(
        judged,
        cells=explain_cells(cells, deviations),
        claims=explain_claims(claims, deviations),
        order_levels=rule.order_levels,
        column_levels=rule.column_levels,
        authors=tuple(one.at_levels(rule.levels) for one in judged.authors),
        under_variants={named: _claims_at_levels(own, rule.claim_levels) for named, own in under},
        deviations=tuple(deviations),
    )
    other_data = {*judged.standins, *unpublished}
    return replace(
        decided,
        stale_deviations=tuple(stale_deviations(decided)),
        unsupported_deviations=tuple(
            unsupported_deviations(decided, other_data, paper.folder, rule.variants_of(spec.name))
        ),
    )


def _claims_at_levels(
    claims: tuple[JudgedClaim, ...], levels: ClaimLevels
) -> tuple[JudgedClaim, ...]:
    """The claims, decided at other levels."""
    return tuple(replace(claim, levels=levels) for claim in claims)
