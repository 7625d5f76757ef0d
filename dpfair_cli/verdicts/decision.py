"""Decides the published cells and claims of one artefact by the rows of its runs.

The levels of a paper follow from the p-values of all its cells and claims. So the cells and claims
of an artefact are tested once, and decided at the levels when these are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd

from dpfair_cli.contracts.guarantees import TheoremEvidence
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.authors import JudgedAuthorsValue, judge_authors_values
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.judging import at_levels, judge_cells
from dpfair_cli.verdicts.cells.published import parameter_names
from dpfair_cli.verdicts.claims.judging import JudgedClaim, judge_claims
from dpfair_cli.verdicts.claims.verdict import ClaimLevels, ClaimVerdict
from dpfair_cli.verdicts.deviations.coverage import (
    DeviationEvidence,
    explain_cells,
    explain_claims,
    stale_deviations,
)
from dpfair_cli.verdicts.deviations.deviation import Deviation, check_columns
from dpfair_cli.verdicts.paper import Paper
from dpfair_cli.verdicts.paper_rule import PaperRule
from dpfair_cli.verdicts.score.pairings import Pairing, variant_pairings, wrong_pairings
from dpfair_cli.verdicts.score.skill import JointTest, Skill, joint_tests, skill


@dataclass(frozen=True, eq=False)
class Tested:
    """The published cells and claims of one artefact, tested on its runs."""

    spec: Spec
    rows: pd.DataFrame  # one row per run
    standins: Mapping[str, str]  # data sets that are not the paper's: "REPLICA" or "SUBSTITUTE"
    theorems: Mapping[str, TheoremEvidence]  # by name
    cells: tuple[JudgedCell, ...]  # judged at the levels of single tests, as the claims
    claims: tuple[JudgedClaim, ...]


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
    claims = judge_claims(paper.claims_of(spec.name), rows, spec, standins, theorems)
    return Tested(spec, rows, standins, theorems, tuple(cells), tuple(claims))


@dataclass(frozen=True, eq=False)
class Verdicts:
    """The verdicts on the published cells and the claims of one artefact."""

    standins: Mapping[str, str]  # data sets that are not the paper's: "REPLICA" or "SUBSTITUTE"
    cells: tuple[JudgedCell, ...]
    claims: tuple[JudgedClaim, ...]
    deviations: tuple[Deviation, ...] = ()
    stale_deviations: tuple[str, ...] = ()  # that no cell or claim needs, in words
    unsupported_deviations: tuple[str, ...] = ()  # without the evidence of their kind, in words
    impossible_scores: tuple[str, ...] = ()  # runs with a score outside its range, in words
    authors: tuple[JudgedAuthorsValue, ...] = ()  # of the authors' program, if we ran it

    @property
    def cell_counts(self) -> Counter[str]:
        """The number of the artefact's published cells with each verdict and kind of deviation."""
        return Counter(cell.full_verdict for cell in self.cells)

    @property
    def compared(self) -> list[JudgedCell]:
        """The published cells of the artefact that were compared with our runs."""
        return [cell for cell in self.cells if cell.verdict.is_compared]

    @property
    def failures(self) -> tuple[str, ...]:
        """Each cell and claim that needs a deviation and has none, in words; `check` fails then."""
        words = []
        for cell in self.cells:
            if cell.is_unexplained:
                hint = f" ({cell.hint})" if cell.hint else ""
                words.append(f"{cell.description}: {cell.verdict}{hint}")
        failing = (claim.part.id for claim in self.claims if claim.is_unexplained)
        return (*words, *(f"{name}: fails" for name in failing))

    def covered_by(self, deviation: Deviation) -> int:
        """The number of the artefact's cells and claims that a deviation explains."""
        cells = sum(cell.deviation is deviation for cell in self.cells)
        return cells + sum(claim.deviation is deviation for claim in self.claims)

    @cached_property
    def skill(self) -> Skill | None:
        """How much nearer our means are than if the names of the methods were mixed up."""
        return skill(self.cells)

    @cached_property
    def joint_tests(self) -> list[JointTest]:
        """The joint tests of all cells of a method and a score."""
        return joint_tests(self.cells)

    @cached_property
    def wrong_pairings(self) -> list[Pairing]:
        """Our means of the artefact, each paired with the published values of other methods."""
        return wrong_pairings(self.cells)

    @cached_property
    def variant_pairings(self) -> list[Pairing]:
        """The cells of methods with variants, paired with published values that differ from them.

        The other values are those of other methods at the same data set, score and parameters.
        """
        return variant_pairings(self.cells)


def decide(
    found: Tested, paper: Paper, rule: PaperRule, unpublished: Mapping[str, str]
) -> Verdicts:
    """The verdicts on the tested cells and claims of an artefact by the rule of its paper.

    `paper` has the deviations. `unpublished` maps data sets that we made to the facts that their
    authors did not publish.
    """
    spec, rows, standins = found.spec, found.rows, found.standins
    cells, claims = explained(found, paper, rule)
    deviations = paper.deviations_of(spec.name)
    evidence = DeviationEvidence(
        cells,
        claims,
        deviations,
        {*standins, *unpublished},
        paper.folder,
        partial(_holds_under, found, paper, rule.claim_levels),
        rule.variants_of(spec.name),
        spec.shared_variants,
    )
    return Verdicts(
        standins=standins,
        cells=cells,
        claims=claims,
        deviations=tuple(deviations),
        stale_deviations=tuple(stale_deviations(deviations, cells, claims)),
        unsupported_deviations=tuple(evidence.unsupported()),
        impossible_scores=tuple(impossible_scores(rows, spec)),
        authors=judge_authors_values(
            paper.authors, rows, spec, cells, standins=standins, levels=rule.levels
        ),
    )


def explained(
    found: Tested, paper: Paper, rule: PaperRule
) -> tuple[tuple[JudgedCell, ...], tuple[JudgedClaim, ...]]:
    """The tested cells and claims at the levels of a paper, each with its deviation."""
    spec = found.spec
    deviations = paper.deviations_of(spec.name)
    parameters = parameter_names(paper.published)
    # a misspelt key would cover every cell, because a cell that lacks it fits
    check_columns(deviations, {"dataset", "method", "metric", *spec.layout.axes, *parameters})
    cells = [at_levels(cell, rule.levels) for cell in found.cells]
    claims = [replace(claim, levels=rule.claim_levels) for claim in found.claims]
    return explain_cells(cells, deviations), explain_claims(claims, deviations)


def _holds_under(
    found: Tested, paper: Paper, levels: ClaimLevels, claim: str, variant: str
) -> bool:
    """Whether a claim holds with the runs of a variant in place of those of the defaults."""
    spec = found.spec
    # label of each method under the variant -> name that the paper gives the method
    names = {
        method: name
        for method, name in spec.published_labels.items()
        if method == f"{name}, {variant}"
    }
    named = [part for part in paper.claims_of(spec.name) if part.id == claim]
    if not named or not names:
        return False
    # the default rows go, so that the claim cannot hold by them
    kept = found.rows[~found.rows["method"].isin([*names.values()])]
    rows = kept.assign(method=kept["method"].replace(names))
    judged = judge_claims(named, rows, spec, found.standins, found.theorems)
    return all(replace(one, levels=levels).verdict is ClaimVerdict.HOLDS for one in judged)


def impossible_scores(rows: pd.DataFrame, spec: Spec) -> Iterator[str]:
    """Yields a message for each score outside its range, such as an accuracy above 1."""
    for name, (low, high) in spec.task.score_ranges.items():
        if name in rows and name != spec.task.study.axis:
            scores = rows[name].to_numpy(dtype=float)
            for position in np.flatnonzero((scores < low) | (scores > high)):
                run, score = rows.iloc[position], scores[position]
                place = f"{run['dataset']}, {run['method']}, seed {run['seed']}"
                yield f"{place}: {name} {score:g} is not in {low:g} to {high:g}"
