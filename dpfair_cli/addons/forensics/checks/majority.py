"""Accuracies below that of the constant answer with the majority class."""

from __future__ import annotations

import math
from collections.abc import Iterator

from scipy.special import stdtr

from dpfair_cli.addons.forensics.finding import Kind, NumberTest
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper

ERRORS = ("error", "error_rate", "misclassification")


def check_majority(paper: PrintedPaper) -> Iterator[NumberTest]:
    """Yields a test for each accuracy or error with a declared majority share and a deviation."""
    for cell in paper.cells:
        if not math.isnan(cell.majority) and cell.runs:
            accuracy = _largest_accuracy(cell)
            deviation = cell.std.high if cell.std else cell.spread.most if cell.spread else 0.0
            if accuracy is not None and deviation:
                yield _test(cell, accuracy, deviation)


def _largest_accuracy(cell: PrintedCell) -> float | None:
    """The largest accuracy that is printed like this; None for another score."""
    if cell.published.metric.startswith("accuracy"):
        return cell.mean.high
    return 1 - cell.mean.low if cell.published.metric in ERRORS else None


def _test(cell: PrintedCell, accuracy: float, deviation: float) -> NumberTest:
    """The chance of such an accuracy if the expected one is that of the majority class.

    With a printed deviation of k runs, the chance is that of Student's distribution with k - 1
    degrees of freedom.
    """
    share = cell.majority
    error = deviation / math.sqrt(cell.runs)
    freedom = cell.runs - 1 if cell.std and cell.runs > 1 else math.inf
    chance = float(stdtr(freedom, (accuracy - share) / error))
    word = "error" if cell.published.metric in ERRORS else "accuracy"
    side = "below" if word == "accuracy" else "above one minus"
    what = f"the {word} {cell.as_printed} is {side} {share:.4g}, the share of the majority class"
    return NumberTest(Kind.MAJORITY, [cell], chance, what)
