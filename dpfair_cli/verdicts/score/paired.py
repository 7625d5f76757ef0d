"""Paired comparison: what each method loses against a reference method on the same data.

If a paper prints means of five random graphs, most of a printed deviation is that of the graphs,
which all methods share. A cell that is undecided alone can then be decided as a difference: ours is
the mean, over seeds, of the score of the method minus that of the reference method, and the
published one is the difference of both printed means. The paper does not print the deviation of its
differences, so that ours stands for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dpfair_cli.verdicts.cells.comparison import Comparison, Sample
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.rivals import are_in_one_place
from dpfair_cli.verdicts.cells.rule import Decision
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import deviation, mean


@dataclass(frozen=True)
class PairedCount:
    """The undecided cells of one method and one score, each compared as a difference."""

    method: str
    """The published method."""

    metric: str
    """The score."""

    undecided: int
    """The number of cells that are undecided one by one."""

    equal: int
    """The number of these cells whose difference to the reference method is the published one."""

    other: int
    """The number of these cells whose difference to the reference method is another one."""


def paired_counts(cells: Sequence[JudgedCell], reference: str) -> list[PairedCount]:
    """The undecided cells of each method other than `reference`, compared as differences to it."""
    found: dict[tuple[str, str], Counter[CellVerdict]] = {}
    for cell in cells:
        own = cell.published
        if own.method != reference and cell.verdict is CellVerdict.UNDECIDED:
            counts = found.setdefault((own.method, own.metric), Counter())
            counts.update(_verdicts(cell, cells, reference))
    return [
        PairedCount(
            method,
            metric,
            counts.total(),
            counts[CellVerdict.REPRODUCED],
            counts[CellVerdict.DIFFERS],
        )
        for (method, metric), counts in found.items()
    ]


def _verdicts(
    cell: JudgedCell, cells: Iterable[JudgedCell], reference: str
) -> Iterable[CellVerdict]:
    """Yields the verdict on a cell as a difference to the first cell of the reference method."""
    for other in cells:
        if other.published.method == reference and _are_in_one_place(cell, other):
            yield paired(cell, other).verdict
            return


def paired(cell: JudgedCell, reference: JudgedCell) -> Decision:
    """What the rule says of the difference between a cell and one of a reference method.

    Both cells are in the same place. Seeds that only one of both has do not count.

    Raises:
        ValueError: a cell has no runs.
    """
    if not cell.default or not reference.default:
        raise ValueError(f"both cells must have runs: {cell.description}, {reference.description}")
    pairs = zip(cell.default.scores, reference.default.scores, strict=False)
    apart = np.array([own - theirs for own, theirs in pairs])  # (seeds,)
    ours = Sample(mean(apart), deviation(apart), len(apart))
    printed = Sample(cell.sample.mean - reference.sample.mean, math.nan, cell.sample.runs)
    relative = cell.default.comparison.relative
    return Decision(
        Comparison(ours, printed, relative=relative), levels=cell.default.decision.levels
    )


def _are_in_one_place(cell: JudgedCell, other: JudgedCell) -> bool:
    """Whether two cells have the same data set, score and common parameters, and runs of both."""
    own, theirs = cell.published, other.published
    alike = (own.dataset, own.metric) == (theirs.dataset, theirs.metric)
    has_runs = cell.default is not None and other.default is not None
    return alike and has_runs and are_in_one_place(own.parameters, theirs.parameters)
