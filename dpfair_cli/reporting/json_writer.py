"""Writes checks, explanations and tables as mappings and lists, for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting.explanation import CellExplanation
from dpfair_cli.reporting.judged_artefact import JudgedArtefact
from dpfair_cli.reporting.score_text import cell_counts, claim_counts, scoreboard
from dpfair_cli.reporting.shown import (
    ShownColumn,
    as_records,
    shown_authors_value,
    shown_cell,
    shown_claim,
)
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.score.pairings import PairingShare

CELL_KEYS = (
    ShownColumn("cell", "name"),
    ShownColumn("line", "judged.published.line"),
    ShownColumn("mean", "default.mean"),
    ShownColumn("std", "default.std"),
    ShownColumn("runs", "default.runs"),
    ShownColumn("published_mean", "judged.published.mean"),
    ShownColumn("published_std", "judged.published.std"),
    ShownColumn("verdict", "judged.verdict"),
    ShownColumn("kind", "judged.kind"),
    ShownColumn("cause", "cause"),
)
CLAIM_KEYS = (
    ShownColumn("id", "name"),
    ShownColumn("claim", "sentence"),
    ShownColumn("verdict", "judged.verdict"),
    ShownColumn("reason", "reason"),
    ShownColumn("kind", "judged.kind"),
    ShownColumn("cause", "cause"),
)
AUTHORS_KEYS = (
    ShownColumn("value", "cell.name"),
    ShownColumn("line", "cell.judged.published.line"),
    ShownColumn("mean", "cell.default.mean"),
    ShownColumn("authors_mean", "cell.judged.published.mean"),
    ShownColumn("authors_std", "cell.judged.published.std"),
    ShownColumn("authors_runs", "cell.judged.sample.runs"),
    ShownColumn("verdict on ours", "cell.judged.verdict"),
    ShownColumn("verdict on print", "on_print"),
)
EXPLAINED_CLAIM_KEYS = (
    ShownColumn("id", "name"),
    ShownColumn("claim", "sentence"),
    ShownColumn("verdict", "verdict"),
)


def artefact(reported: JudgedArtefact) -> dict[str, Any]:
    """The verdicts on an artefact for JSON: cells, claims, and reasons why the check fails."""
    verdicts = reported.verdicts
    values = as_records(AUTHORS_KEYS, map(shown_authors_value, verdicts.authors))
    return {
        "artefact": reported.spec.artefact,
        "state": "compared",
        "cells": as_records(CELL_KEYS, map(shown_cell, verdicts.cells)),
        "claims": as_records(CLAIM_KEYS, map(shown_claim, verdicts.claims)),
        "not in deviations.yaml": verdicts.failures,
        "no run gives that": verdicts.impossible_scores,
        "not borne by its evidence": verdicts.unsupported_deviations,
        "no longer needed": verdicts.stale_deviations,
        **({"authors' program": values} if values else {}),
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


def explanation(found: CellExplanation) -> dict[str, Any]:
    """The explanation of a published cell as mappings and lists for JSON."""
    cell, deviation = found.cell, found.cell.deviation
    return {
        "artefact": found.spec.artefact,
        "cell": found.shown.name,
        "dataset": cell.published.dataset,
        "method": cell.published.method,
        "metric": cell.published.metric,
        "parameters": cell.parameters,
        "published": {
            "mean": cell.sample.mean,
            "std": cell.sample.std,
            "runs": cell.sample.runs,
            "printed": cell.published.printed,
            "place": cell.published.place,
            "line": cell.published.line,
        },
        "verdict": cell.verdict,
        "rule": found.rule,
        "would decide": cell.remedy,
        "hint": cell.hint,
        "variants": [_variant(k, found) for k in range(len(cell.variants))],
        "deviation": _deviation(deviation) if deviation else None,
        "claims": as_records(EXPLAINED_CLAIM_KEYS, found.claims),
        "files": found.files,
        "command": f"{found.command} --fresh",
    }


def _variant(number: int, found: CellExplanation) -> dict[str, Any]:
    """The runs of a cell under the variant with a number; variant 0 is the default."""
    variant, shown = found.cell.variants[number], found.variants[number]
    return {
        "variant": shown.name,
        "label": variant.label,
        "is default": number == 0,
        "chosen by": found.chosen_by if number == 0 else "",
        "mean": shown.mean,
        "std": shown.std,
        "runs": shown.runs,
        "difference": variant.comparison.signed,
        "half width": variant.comparison.half_width,
        "verdict": variant.verdict,
        "scores by seed": found.scores[variant.label],
    }


def _deviation(deviation: Deviation) -> dict[str, Any]:
    return {
        "id": deviation.id,
        "kind": deviation.kind,
        "covers": deviation.scope,
        "cause": deviation.cause,
        "measured": deviation.findings,
        "unsettled": deviation.unsettled,
        "evidence": deviation.evidence,
    }


def table(found: Table) -> dict[str, Any]:
    """The title, the notes and the lines of a table; a line has the columns of table.csv."""
    lines = found.numbers.to_dict(orient="records")
    return {"title": found.title, "notes": list(found.notes), "lines": lines}


def _share(share: PairingShare) -> dict[str, int]:
    return {"matched": share.matched, "of": share.pairings}
