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

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import Comparison, Sample
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.rivals import are_in_one_place
from dpfair_cli.verdicts.cells.rule import Decision
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.means import deviation, mean
from dpfair_cli.verdicts.score.distinct import repeated_cells


@dataclass(frozen=True)
class PairedCount:
    """The undecided cells of one method and one score, each compared as a difference."""

    method: str
    metric: str
    undecided: int  # one by one
    equal: int  # of these, those whose difference to the reference is the published one
    other: int  # of these, those whose difference is another one


def paired_counts(
    artefacts: Sequence[tuple[Spec, Sequence[JudgedCell]]], reference: str
) -> list[PairedCount]:
    """The undecided cells of each method and score, compared as differences to a reference method.

    `artefacts` are pairs of a spec and the judged cells of its artefact. A number that two of them
    print counts once. Cells without a cell of the reference method in the same place do not count.
    """
    repeated = repeated_cells(artefacts)
    found: dict[tuple[str, str], Counter[CellVerdict]] = {}
    for _, cells in artefacts:
        for cell in cells:
            baseline = _in_place(cell, reference, cells)
            if cell.verdict is CellVerdict.UNDECIDED and cell not in repeated and baseline:
                key = cell.published.method, cell.published.metric
                found.setdefault(key, Counter())[paired(cell, baseline).verdict] += 1
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


def _in_place(cell: JudgedCell, reference: str, cells: Iterable[JudgedCell]) -> JudgedCell | None:
    """The cell of a reference method in the place of a cell of another method; None without one.

    Both cells have the same data set, score and common parameters, and have runs.
    """
    own = cell.published
    if own.method == reference or not cell.default:
        return None
    for other in cells:
        theirs = other.published
        alike = (reference, own.dataset, own.metric) == (
            theirs.method,
            theirs.dataset,
            theirs.metric,
        )
        if alike and other.default and are_in_one_place(own.parameters, theirs.parameters):
            return other
    return None


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
