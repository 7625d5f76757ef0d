"""Means of proportions that are no multiple of 1/n, and deviations that no counts can have.

Brown and Heathers 2017 ("GRIM") compare a printed mean with the multiples of 1/n; Anaya 2016
("GRIMMER") does the same with the deviation. Here, the mean of k runs on n test records is a
multiple of 1/(k n).
"""

from __future__ import annotations

from collections.abc import Iterator

from dpfair_cli.forensics.finding import Kind, Proof
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper
from dpfair_cli.forensics.rounded import Rounded
from dpfair_cli.forensics.samples import has_counts, has_multiple

MOST_SUMS = 2_000  # of counts that fit a mean; with more, some deviation fits


def check_counts(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each proportion that is printed with enough digits to decide."""
    for cell in paper.cells:
        parts = cell.records * cell.runs
        if cell.is_proportion and parts and 2 * cell.mean.half * parts < 1:
            what = (
                f"{cell.as_printed} is no multiple of 1/{parts:,} ({cell.records:,} test records, "
                f"number of runs: {cell.runs})"
            )
            is_possible = has_multiple(cell.mean.low, cell.mean.high, parts)
            yield Proof(Kind.COUNTS, [cell], is_possible, what)


def check_squares(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each proportion with a deviation, if few sums of counts fit its mean."""
    for cell in paper.cells:
        sums = 2 * cell.mean.half * cell.records * cell.runs
        if cell.is_proportion and cell.std and cell.runs > 1 and 0 < sums < MOST_SUMS:
            yield _proof(cell, cell.std)


def _proof(cell: PrintedCell, std: Rounded) -> Proof:
    """Whether counts of test records can have the mean and the deviation of a cell."""
    mean = (cell.mean.low, cell.mean.high)
    what = (
        f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} shares of "
        f"{cell.records:,} test records"
    )
    is_possible = has_counts(mean, (std.low, std.high), cell.runs, cell.records)
    return Proof(Kind.SQUARES, [cell], is_possible, what)
