"""Writes checks, explanations and tables as mappings and lists, for JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from dpfair_cli.contracts.specs import Table
from dpfair_cli.reporting import score_tables
from dpfair_cli.reporting.explanation import CellExplanation
from dpfair_cli.reporting.shown import JudgedArtefact, ShownColumn, as_records, by_default
from dpfair_cli.verdicts.cells.judged import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.deviations.deviation import Deviation
from dpfair_cli.verdicts.score.pairings import PairingShare


def _of_default(field: str) -> Callable[[JudgedCell], float]:
    """A number of our runs under the default variant of a cell; NaN without runs."""
    return by_default(attrgetter(f"ours.{field}"), math.nan)


def _ours_of_value(value: Any) -> float:
    return _of_default("mean")(value.judged)


CELL_KEYS = (
    ShownColumn("cell", attrgetter("description")),
    ShownColumn("line", attrgetter("published.line")),
    ShownColumn("mean", _of_default("mean")),
    ShownColumn("std", _of_default("std")),
    ShownColumn("runs", _of_default("runs")),
    ShownColumn("published_mean", attrgetter("published.mean")),
    ShownColumn("published_std", attrgetter("published.std")),
    ShownColumn("verdict", attrgetter("verdict")),
    ShownColumn("kind", attrgetter("kind")),
    ShownColumn("cause", attrgetter("cause")),
)
CLAIM_KEYS = (
    ShownColumn("id", attrgetter("part.id")),
    ShownColumn("claim", attrgetter("part.claim.claim")),
    ShownColumn("verdict", attrgetter("verdict")),
    ShownColumn("reason", attrgetter("reason")),
    ShownColumn("kind", attrgetter("kind")),
    ShownColumn("cause", attrgetter("cause")),
)
AUTHORS_KEYS = (
    ShownColumn("value", attrgetter("judged.description")),
    ShownColumn("line", attrgetter("cell.line")),
    ShownColumn("mean", _ours_of_value),
    ShownColumn("authors_mean", attrgetter("cell.mean")),
    ShownColumn("authors_std", attrgetter("cell.std")),
    ShownColumn("authors_runs", attrgetter("judged.sample.runs")),
    ShownColumn("verdict on ours", attrgetter("judged.verdict")),
    ShownColumn("verdict on print", attrgetter("verdict_on_print")),
)
EXPLAINED_CLAIM_KEYS = (*CLAIM_KEYS[:2], ShownColumn("verdict", attrgetter("full_verdict")))


def artefact(reported: JudgedArtefact) -> dict[str, Any]:
    """The verdicts on an artefact for JSON: cells, claims, and reasons why the check fails."""
    verdicts = reported.verdicts
    values = as_records(AUTHORS_KEYS, verdicts.authors)
    return {
        "artefact": reported.spec.artefact,
        "state": "compared",
        "cells": as_records(CELL_KEYS, verdicts.cells),
        "claims": as_records(CLAIM_KEYS, verdicts.claims),
        "not in deviations.yaml": verdicts.failures,
        "no run gives that": verdicts.impossible_scores,
        "not borne by its evidence": verdicts.unsupported_deviations,
        "no longer needed": verdicts.stale_deviations,
        **({"authors' program": values} if values else {}),
    }


def scores(reported: Sequence[JudgedArtefact]) -> dict[str, Any]:
    """The scoreboard for JSON: distinct cells and claims by verdict, and false-match rates."""
    score = score_tables.scoreboard(reported)
    return {
        "cells": score_tables.cell_counts(score).to_dict("records"),
        "claims": score_tables.claim_counts(score).to_dict("records"),
        "repeated cells": score.repeats,
        "numbers of records": score.record_counts,
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
        "deviation": _deviation(deviation) if deviation else None,
        "claims": as_records(EXPLAINED_CLAIM_KEYS, found.claims),
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
