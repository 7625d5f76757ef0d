"""Judged cells that are made by hand, for tests of what is counted over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dpfair_cli.verdicts.cells.comparison import CellVerdict, Comparison, Decision, Sample
from dpfair_cli.verdicts.cells.judging import JudgedCell, JudgedVariant
from dpfair_cli.verdicts.cells.published import PublishedCell


def judged_cell(
    method: str,
    scores: Sequence[float],
    published: float,
    *,
    runs: int = 5,
    std: float = math.nan,
    relative: bool = False,
    verdict: CellVerdict | None = None,
    **parameters: Any,
) -> JudgedCell:
    """A cell with these scores of ours, by seed, and a published mean."""
    dataset, metric = parameters.pop("dataset", "adult"), parameters.pop("metric", "accuracy")
    cell = PublishedCell("table1", dataset, method, metric, published, std, parameters)
    sample = Sample(published, std, runs)
    ours = Sample(float(np.mean(scores)), float(np.std(scores, ddof=1)), len(scores))
    decision = Decision(Comparison(ours, sample, relative=relative))
    found = verdict or decision.verdict
    variant = JudgedVariant(method, "", parameters, decision, found, (), dict(enumerate(scores)))
    return JudgedCell(cell, method, sample, found, (variant,))
