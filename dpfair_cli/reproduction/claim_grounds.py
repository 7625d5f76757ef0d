"""The grounds of verdicts on claims: the levels of a paper, and the evidence for theorems.

The levels of a paper need all its claims. They are computed when all artefacts of the paper are
checked, and kept in results/<paper>/claim_levels.json for commands that check only some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dpfair_cli import catalog
from dpfair_cli.auditing import survey_rows, theorems
from dpfair_cli.auditing.survey_rows import Audited
from dpfair_cli.contracts.guarantees import Status
from dpfair_cli.contracts.theorem_evidence import TheoremEvidence
from dpfair_cli.paths import results_file
from dpfair_cli.verdicts.claims.judging import Grounds, JudgedClaim
from dpfair_cli.verdicts.claims.levels import Levels, levels_of
from dpfair_cli.verdicts.claims.p_values import PValues

if TYPE_CHECKING:
    from dpfair_cli.reproduction.artefact import Artefact

FILE = "claim_levels.json"


def grounds_of(results: Path, paper: str) -> Grounds:
    """The grounds of verdicts on the claims of a paper, given the folder of results."""
    return Grounds(read_levels(results, paper), theorem_evidence(results))


def read_levels(results: Path, paper: str) -> Levels:
    """The levels of a paper; those of a single test if the paper was never checked as a whole."""
    file = results / paper / FILE
    return Levels(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else Levels()


def update_levels(artefacts: Sequence[Artefact]) -> list[str]:
    """Writes the levels of each paper of which all artefacts with claims are given and complete.

    Returns the papers whose levels changed.
    """
    changed = []
    by_paper: dict[str, list[Artefact]] = {}
    for artefact in artefacts:
        if not artefact.options.quick and artefact.finished_runs and not artefact.missing_runs:
            by_paper.setdefault(artefact.spec.paper, []).append(artefact)
    for paper, own in by_paper.items():
        content = own[0].paper()
        if {part.artefact for part in content.claims} <= {one.spec.name for one in own}:
            claims = [claim for one in own for claim in one.judge_claims(content)]
            levels, results = levels_of(_tested_parts(claims)), own[0].options.out
            if claims and levels != read_levels(results, paper):
                changed.append(paper)
                text = json.dumps(asdict(levels), indent=1)
                place = results / paper / FILE
                place.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return changed


def _tested_parts(claims: Iterable[JudgedClaim]) -> list[list[PValues]]:
    """The p-values of the tested parts of each claim, without our additions."""
    parts: dict[str, list[PValues]] = {}
    for claim in claims:
        if claim.p_values and not claim.part.ours:
            parts.setdefault(claim.part.claim.id, []).append(claim.p_values)
    return list(parts.values())


@cache
def theorem_evidence(results: Path) -> Mapping[str, TheoremEvidence]:
    """The evidence for theorems, by the names that claims.yaml uses; empty without audits.

    A method without a variant stands under its name, such as "pflr", and a variant as in "dpm:
    sensitivity published".
    """
    audits = survey_rows.read(results_file(results, "audit.csv").parent)
    found = dict(_audited(audits))
    return found | {name: theorems.computed(name) for name in theorems.COMPUTATIONS if found}


def _audited(audits: Iterable[Audited]) -> Iterator[tuple[str, TheoremEvidence]]:
    """Yields the name and the evidence of each audit; the first data set of a method counts."""
    named: dict[str, Audited] = {}
    for row in audits:
        name = f"{row.method}: {row.variant}" if row.variant else row.method
        named.setdefault(name, row)
    for name, row in named.items():
        tried = f"the audit on {row.data} ({row.neighbours}) finds epsilon {row.found} of "
        tried += row.claimed
        if row.verdict.startswith("refuted: "):
            words = f"{row.verdict.removeprefix('refuted: ')} ({row.neighbours}, {row.claimed})"
            yield name, TheoremEvidence(tried, counterexample=words)
        elif row.verdict == "holds":
            is_proved = row.label == Status.PROVED
            proof = catalog.algorithm(row.method).guarantee.proof if is_proved else ""
            yield name, TheoremEvidence(tried, proof=proof)
