"""Means of proportions that are no multiple of 1/n, and deviations that no counts can have.

Brown and Heathers 2017 ("GRIM") compare a printed mean with the multiples of 1/n; Anaya 2016
("GRIMMER") does the same with the deviation. Here, the mean of k runs on n test records is a
multiple of 1/(k n). A number that another method prints too is impossible only by the runs of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dpfair_cli.addons.forensics.finding import Kind, Proof
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper
from dpfair_cli.addons.forensics.rounded import Rounded
from dpfair_cli.addons.forensics.samples import has_counts, has_multiple

MOST_SUMS = 2_000  # of counts that fit a mean; with more, some deviation fits


def check_counts(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each proportion that is printed with enough digits to decide."""
    for cell in paper.cells:
        parts = [cell.records * runs for runs in paper.runs_behind(cell)]
        if cell.is_proportion and all(parts) and 2 * cell.mean.half * max(parts) < 1:
            what = (
                f"{cell.as_printed} is no multiple of 1/{cell.records * cell.runs:,} "
                f"({cell.records:,} test records, number of runs: {cell.runs})"
            )
            is_possible = any(has_multiple(cell.mean.low, cell.mean.high, one) for one in parts)
            yield Proof(Kind.COUNTS, [cell], is_possible, what)


def check_squares(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each proportion with a deviation, if few sums of counts fit its mean."""
    for cell in paper.cells:
        runs = paper.runs_behind(cell)
        sums = 2 * cell.mean.half * cell.records * max(runs)
        if cell.is_proportion and cell.std and min(runs) > 1 and 0 < sums < MOST_SUMS:
            yield _proof(cell, cell.std, runs)


def _proof(cell: PrintedCell, std: Rounded, runs: Iterable[int]) -> Proof:
    """Whether counts of test records can have the mean and the deviation of a cell."""
    mean = (cell.mean.low, cell.mean.high)
    what = (
        f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} shares of "
        f"{cell.records:,} test records"
    )
    ends = (std.low, std.high)
    is_possible = any(has_counts(mean, ends, number, cell.records) for number in runs)
    return Proof(Kind.SQUARES, [cell], is_possible, what)
