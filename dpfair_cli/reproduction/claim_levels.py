"""Writes the levels at which the p-values of a paper's claims decide.

The levels need all claims of the paper. They are computed when all artefacts of the paper are
checked, and kept in results/<paper>/claim_levels.json for commands that check only some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from dpfair_cli.reproduction.artefact import Artefact
from dpfair_cli.reproduction.claim_grounds import LEVELS_FILE, read_levels
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.levels import Levels, levels_of
from dpfair_cli.verdicts.claims.p_values import PValues


def update_levels(artefacts: Sequence[Artefact]) -> list[str]:
    """Writes the levels of each paper of which all artefacts with claims are given and complete.

    Returns the papers whose levels changed.
    """
    complete: dict[str, list[Artefact]] = {}
    for artefact in artefacts:
        if not artefact.options.quick and artefact.finished_runs and not artefact.missing_runs:
            complete.setdefault(artefact.spec.paper, []).append(artefact)
    return [paper for paper, own in complete.items() if _update(paper, own)]


def _update(paper: str, artefacts: Sequence[Artefact]) -> bool:
    """Writes the levels of one paper, given its complete artefacts; whether the levels changed."""
    content, results = artefacts[0].paper(), artefacts[0].options.out
    named = {part.artefact for part in content.claims}
    if not named or not named <= {one.spec.name for one in artefacts}:
        return False
    levels = levels_of_claims(claim for one in artefacts for claim in one.judge_claims(content))
    if levels == read_levels(results, paper):
        return False
    text = json.dumps(asdict(levels), indent=1)
    (results / paper / LEVELS_FILE).write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return True


def levels_of_claims(claims: Iterable[JudgedClaim]) -> Levels:
    """The levels of a paper with these parts of claims; our additions do not count."""
    parts: dict[str, list[PValues]] = {}
    for claim in claims:
        if claim.p_values and not claim.part.ours:
            parts.setdefault(claim.part.claim.id, []).append(claim.p_values)
    return levels_of(parts.values())
