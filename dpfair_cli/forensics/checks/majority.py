"""Accuracies below that of the constant answer with the majority class."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scipy.special import stdtr

from dpfair_cli.forensics.finding import Kind, Test
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper


def check_majority(paper: PrintedPaper) -> Iterator[Test]:
    """Yields a test for each accuracy with a declared majority share and a known deviation."""
    for cell in paper.cells:
        known = not math.isnan(cell.majority) and bool(cell.runs)
        if known and cell.published.metric.startswith("accuracy"):
            deviation = cell.std.high if cell.std else cell.spread.most if cell.spread else 0.0
            if deviation:
                yield _test(cell, deviation)


def _test(cell: PrintedCell, deviation: float) -> Test:
    """The chance of such an accuracy if the expected one is that of the majority class.

    With a printed deviation of k runs, the chance is that of Student's distribution with k - 1
    degrees of freedom.
    """
    share = cell.majority
    error = deviation / math.sqrt(cell.runs)
    freedom = cell.runs - 1 if cell.std and cell.runs > 1 else math.inf
    chance = float(stdtr(freedom, (cell.mean.high - share) / error))
    what = f"{cell.as_printed} is below {share:.4g}, the share of the majority class"
    return Test(Kind.MAJORITY, [cell], chance, what)
