"""Standard deviations that a number of runs cannot have around the printed mean."""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpfair_cli.forensics.finding import Kind, Proof
from dpfair_cli.forensics.printed import PrintedCell, PrintedPaper
from dpfair_cli.forensics.rounded import Rounded
from dpfair_cli.forensics.samples import largest_deviation


def check_deviations(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each cell with a deviation, a number of runs and a range."""
    for cell in paper.cells:
        if cell.std and cell.runs and math.isfinite(cell.range[0]):
            yield _proof(cell, cell.std)


def _proof(cell: PrintedCell, std: Rounded) -> Proof:
    """Whether the deviation is at most the largest one for the mean."""
    most = largest_deviation(cell.mean.low, cell.mean.high, cell.runs, cell.range)
    low, high = cell.range
    values = f"[{low:g}, {high:g}]" if math.isfinite(high) else f"[{low:g}, infinity)"
    what = (
        f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} values in "
        f"{values}: the deviation is at most {most:.4g}"
    )
    return Proof(Kind.DEVIATION, [cell], std.low <= most, what)
