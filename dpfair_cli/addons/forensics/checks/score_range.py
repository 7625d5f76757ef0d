"""Scores outside their possible range, such as a rate above 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpfair_cli.addons.forensics.finding import Kind, Proof
from dpfair_cli.addons.forensics.printed import PrintedPaper


def check_ranges(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each cell whose score has a range."""
    for cell in paper.cells:
        low, high = cell.range
        if math.isfinite(low) or math.isfinite(high):
            is_possible = low <= cell.mean.high and cell.mean.low <= high
            what = f"{cell.as_printed} is not in {low:g} to {high:g}"
            yield Proof(Kind.RANGE, [cell], is_possible, what)
