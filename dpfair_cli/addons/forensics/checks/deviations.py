"""Standard deviations that a number of runs cannot have around the printed mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from dpfair_cli.addons.forensics.finding import Kind, Proof
from dpfair_cli.addons.forensics.printed import PrintedCell, PrintedPaper
from dpfair_cli.addons.forensics.rounded import Rounded
from dpfair_cli.addons.forensics.samples import largest_deviation


def check_deviations(paper: PrintedPaper) -> Iterator[Proof]:
    """Yields a proof for each cell with a deviation, a number of runs and a range."""
    for cell in paper.cells:
        runs = paper.runs_behind(cell)
        if cell.std and all(runs) and math.isfinite(cell.range[0]):
            yield _proof(cell, cell.std, runs)


def _proof(cell: PrintedCell, std: Rounded, runs: Iterable[int]) -> Proof:
    """Whether the deviation is at most the largest one for the mean."""
    mean, bounds = cell.mean, cell.range
    most = max(largest_deviation(mean.low, mean.high, number, bounds) for number in runs)
    low, high = cell.range
    values = f"[{low:g}, {high:g}]" if math.isfinite(high) else f"[{low:g}, infinity)"
    what = (
        f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} values in "
        f"{values}: the deviation is at most {most:.4g}"
    )
    return Proof(Kind.DEVIATION, [cell], std.low <= most, what)
