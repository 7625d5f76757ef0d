"""Writes checks, explanations and tables as mappings and lists, for JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting import score_tables
from dpfair_cli.reporting.explanation import CellExplanation
from dpfair_cli.verdicts.authors import JudgedAuthorsValue
from dpfair_cli.verdicts.cells.judging import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.trust import PairingShare
from dpfair_cli.verdicts.two_tables import JudgedTables
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.whole_tables import JudgedColumn, JudgedOrder

NO_RUNS = dict.fromkeys(("mean", "std", "runs"), math.nan)  # which JSON shows as missing


def _cell(cell: JudgedCell) -> dict[str, Any]:
    """A published cell with its verdict; our numbers are missing without runs."""
    return {
        "cell": cell.description,
        "line": cell.published.line,
        **_ours(cell),
        "published_mean": cell.published.mean,
        "published_std": cell.published.std,
        "verdict": cell.verdict,
        "kind": cell.kind,
        "cause": cell.cause,
    }


def _ours(cell: JudgedCell) -> dict[str, float]:
    """Our mean with its deviation and number of runs; NaN without runs."""
    return asdict(cell.default.ours) if cell.default else NO_RUNS


def _order(order: JudgedOrder) -> dict[str, Any]:
    """The order of two methods with its verdict."""
    return {
        "higher": order.higher.description,
        "lower": order.lower.description,
        "published_difference": order.higher.published.mean - order.lower.published.mean,
        "difference": order.difference,
        "p_values": order.p_values._asdict(),
        "verdict": order.verdict,
    }


def _column(column: JudgedColumn) -> dict[str, Any]:
    """A column with its verdict."""
    return {
        "method": column.method,
        "metric": column.metric,
        "cells": [cell.description for cell in column.cells],
        "distance": column.distance,
        "p_values": column.p_values._asdict(),
        "verdict": column.verdict,
    }


def _claim(claim: JudgedClaim) -> dict[str, Any]:
    """A part of a claim with its verdict."""
    return {
        "id": claim.part.id,
        "claim": claim.part.claim.claim,
        "verdict": claim.verdict,
        "reason": claim.reason,
        "kind": claim.kind,
        "cause": claim.cause,
    }


def _authors_value(value: JudgedAuthorsValue) -> dict[str, Any]:
    """A value of the authors' program with both verdicts."""
    return {
        "value": value.judged.description,
        "line": value.cell.line,
        "mean": _ours(value.judged)["mean"],
        "authors_mean": value.cell.mean,
        "authors_std": value.cell.std,
        "authors_runs": value.judged.sample.runs,
        "verdict on ours": value.judged.verdict,
        "verdict on print": value.verdict_on_print,
    }


def artefact(verdicts: Verdicts) -> dict[str, Any]:
    """The verdicts on an artefact for JSON: cells, claims, and reasons why the check fails."""
    values = list(map(_authors_value, verdicts.authors))
    return {
        "artefact": verdicts.spec.artefact,
        "state": "compared",
        "cells": list(map(_cell, verdicts.cells)),
        "orders": list(map(_order, verdicts.orders)),
        "columns": list(map(_column, verdicts.columns)),
        "claims": list(map(_claim, verdicts.claims)),
        "not in deviations.yaml": verdicts.failures,
        "no run gives that": verdicts.impossible_scores,
        "not borne by its evidence": verdicts.unsupported_deviations,
        "no longer needed": verdicts.stale_deviations,
        **({"authors' program": values} if values else {}),
    }


def two_tables(judged: JudgedTables) -> dict[str, Any]:
    """The verdicts on a published table by a table of ours."""
    return {
        "orders": list(map(_order, judged.orders)),
        "columns": list(map(_column, judged.columns)),
        "cells": [
            {**_cell(one), "published_runs": one.sample.runs, "would decide": one.remedy}
            for one in judged.cells
        ],
        "differences": judged.differences,
        "remarks": judged.remarks,
    }


def scores(artefacts: Sequence[Verdicts]) -> dict[str, Any]:
    """The scoreboard for JSON: distinct cells and claims by verdict, and false-match rates."""
    score = score_tables.scoreboard(artefacts)
    return {
        "cells": score_tables.cell_counts(score).to_dict("records"),
        "claims": score_tables.claim_counts(score).to_dict("records"),
        "orders": score_tables.order_counts(score).to_dict("records"),
        "columns": score_tables.column_counts(score).to_dict("records"),
        "repeated cells": score.repeats,
        "numbers of records": score.record_counts,
        "recomputed numbers": score_tables.recomputed(score),
        "wrong pairings": _share(score.wrong),
        "wrong pairings that are far": _share(score.wrong_far),
        "variants beside their own value": _share(score.variants_own),
        "variants beside another value": _share(score.variants_wrong),
    }


def explanation(found: CellExplanation) -> dict[str, Any]:
    """The explanation of a published cell as mappings and lists for JSON."""
    cell, own, deviation = found.cell, found.cell.published, found.cell.deviation
    return {
        "artefact": found.spec.artefact,
        "cell": cell.description,
        "dataset": own.dataset,
        "method": own.method,
        "metric": own.metric,
        "parameters": cell.parameters,
        "published": {
            "mean": cell.sample.mean,
            "std": cell.sample.std,
            "runs": cell.sample.runs,
            "printed": own.printed,
            "place": own.place,
            "line": own.line,
        },
        "verdict": cell.verdict,
        "rule": found.rule,
        "would decide": cell.remedy,
        "hint": cell.hint,
        "variants": [_variant(one, found) for one in cell.variants],
        "deviation": deviation
        and {
            "id": deviation.id,
            "kind": deviation.kind,
            "covers": deviation.scope,
            "cause": deviation.cause,
            "measured": deviation.findings,
            "unsettled": deviation.unsettled,
            "printed": deviation.printed,
            "needed": deviation.needed,
            "evidence": deviation.evidence,
        },
        "claims": [
            {"id": one.part.id, "claim": one.part.claim.claim, "verdict": one.full_verdict}
            for one in found.claims
        ],
        "files": found.files,
        "command": found.command,
    }


def _variant(variant: JudgedVariant, found: CellExplanation) -> dict[str, Any]:
    """The runs of a cell under a variant."""
    is_default = variant is found.cell.default
    return {
        "variant": variant.name or "default",
        "label": variant.label,
        "is default": is_default,
        "chosen by": found.chosen_by if is_default else "",
        "mean": variant.ours.mean,
        "std": variant.ours.std,
        "runs": variant.ours.runs,
        "difference": variant.comparison.signed,
        "half width": variant.comparison.half_width,
        "verdict": variant.verdict,
        "scores by seed": variant.scores,
    }


def table(found: Table) -> dict[str, Any]:
    """The title, the notes and the lines of a table; a line has the columns of table.csv."""
    lines = found.numbers.to_dict(orient="records")
    return {"title": found.title, "notes": list(found.notes), "lines": lines}


def _share(share: PairingShare) -> dict[str, int]:
    return {"matched": share.matched, "of": share.pairings}
