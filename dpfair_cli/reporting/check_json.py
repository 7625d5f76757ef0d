"""The result of `dpfair check` as mappings and lists, for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dpfair_cli.reporting.report import JudgedArtefact, scoreboard
from dpfair_cli.reporting.score_text import cell_counts, claim_counts
from dpfair_cli.verdicts.authors.judging import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.score.pairings import Share


def artefact(reported: JudgedArtefact) -> dict[str, Any]:
    """The verdicts on an artefact for JSON: cells, claims, and reasons why the check fails."""
    verdicts = reported.verdicts
    return {
        "artefact": reported.spec.artefact,
        "state": "compared",
        "cells": [_cell(cell) for cell in verdicts.cells],
        "claims": [_claim(claim) for claim in verdicts.claims],
        "not in deviations.yaml": verdicts.failures,
        "no run gives that": verdicts.impossible_scores,
        "not borne by its evidence": verdicts.unsupported_deviations,
        "no longer needed": verdicts.stale_deviations,
        **({"authors' program": list(map(_value, verdicts.authors))} if verdicts.authors else {}),
    }


def scores(reported: Sequence[JudgedArtefact]) -> dict[str, Any]:
    """The scoreboard for JSON: distinct cells and claims by verdict, and false-match rates."""
    score = scoreboard(reported)
    return {
        "cells": cell_counts(score).to_dict("records"),
        "claims": claim_counts(score).to_dict("records"),
        "repeated cells": score.repeats,
        "numbers of records": score.record_counts,
        "wrong pairings": _share(score.wrong),
        "wrong pairings that are far": _share(score.wrong_far),
        "variants beside their own value": _share(score.variants_own),
        "variants beside another value": _share(score.variants_wrong),
    }


def _cell(cell: JudgedCell) -> dict[str, Any]:
    ours = cell.default.ours if cell.default else None
    return {
        "cell": cell.description,
        "line": cell.published.line,
        "mean": ours.mean if ours else math.nan,
        "std": ours.std if ours else math.nan,
        "runs": ours.runs if ours else math.nan,
        "published_mean": cell.published.mean,
        "published_std": cell.published.std,
        "verdict": cell.verdict,
        "kind": cell.kind,
        "cause": cell.cause,
    }


def _value(value: JudgedAuthorsValue) -> dict[str, Any]:
    ours = value.judged.default.ours.mean if value.judged.default else math.nan
    return {
        "value": value.judged.description,
        "line": value.cell.line,
        "mean": ours,
        "authors_mean": value.cell.mean,
        "authors_std": value.cell.std,
        "authors_runs": value.judged.sample.runs,
        "verdict on ours": value.judged.verdict,
        "verdict on print": value.verdict_on_print,
    }


def _claim(claim: JudgedClaim) -> dict[str, Any]:
    return {
        "id": claim.part.id,
        "claim": claim.part.claim.claim,
        "verdict": claim.verdict,
        "reason": claim.reason,
        "kind": claim.kind,
        "cause": claim.cause,
    }


def _share(share: Share) -> dict[str, int]:
    return {"matched": share.matched, "of": share.pairings}
