"""A check for programs: what `dpfair check` decides of each artefact, and of all of them, as
mappings and lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from dpfair_cli.reporting.report import Entry, scoreboard
from dpfair_cli.verdicts.discrimination import Share

CELL = (
    "cell",
    "line",
    "mean",
    "std",
    "runs",
    "published_mean",
    "published_std",
    "verdict",
    "kind",
    "cause",
)
CLAIM = ("id", "claim", "verdict", "reason", "kind", "cause")


def artefact(entry: Entry) -> dict[str, Any]:
    """Every published cell with ours, every claim, and everything that makes the check fail, of one
    artefact.
    """
    verdicts = entry.verdicts
    return {
        "artefact": entry.spec.artefact,
        "state": "compared",
        "cells": _lines(verdicts.default_cells, CELL),
        "claims": _lines(verdicts.claims, CLAIM),
        "not in deviations.yaml": verdicts.failures,
        "no run gives that": verdicts.impossible_scores,
        "not borne by its evidence": verdicts.unsupported_deviations,
        "no longer needed": verdicts.stale_deviations,
    }


def scores(entries: Sequence[Entry]) -> dict[str, Any]:
    """The scoreboard: distinct published cells and claims by verdict, and how often the rule passes
    a wrong pairing.
    """
    score = scoreboard(entries)
    return {
        "cells": score.cells.to_dict("records"),
        "claims": score.claims.to_dict("records"),
        "repeated cells": score.repeats,
        "numbers of records": score.record_counts,
        "wrong pairings": _share(score.wrong),
        "wrong pairings that are far": _share(score.wrong_far),
        "variants beside their own value": _share(score.read_own),
        "variants beside another value": _share(score.read_wrong),
    }


def _lines(frame: pd.DataFrame, columns: Iterable[str]) -> list[dict[str, Any]]:
    return frame.reindex(columns=list(columns)).to_dict("records")  # type: ignore[return-value]


def _share(share: Share) -> dict[str, int]:
    return {"passed": share.passed, "of": share.pairings}
