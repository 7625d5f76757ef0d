"""How the verdicts depend on the margin: the counts of the verdicts at other margins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.rule import Decision
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.paper_rule import levels_over
from dpfair_cli.verdicts.score.distinct import repeated_cells

MARGINS = (0.01, MARGIN, 0.03)  # of rates; that of other scores changes by the same factor

Cells = tuple[Spec, Sequence[JudgedCell]]  # an artefact with its cells


def verdicts_by_margin(artefacts: Sequence[Cells]) -> dict[float, Counter[CellVerdict]]:
    """Margin -> the number of distinct compared cells with each verdict.

    The levels are computed anew for each margin, over all cells of a paper.
    """
    repeated = repeated_cells(artefacts)
    papers: dict[str, list[Decision]] = {}
    for spec, cells in artefacts:
        papers.setdefault(spec.paper, []).extend(
            cell.default.decision
            for cell in cells
            if cell.default and cell.verdict.is_compared and cell not in repeated
        )
    return {margin: _counts(papers, margin / MARGIN) for margin in MARGINS}


def _counts(papers: Mapping[str, Iterable[Decision]], factor: float) -> Counter[CellVerdict]:
    """The number of cells with each verdict if all margins are multiplied by a factor."""
    counts: Counter[CellVerdict] = Counter()
    for decisions in papers.values():
        changed = [
            replace(one, comparison=replace(one.comparison, margin_factor=factor))
            for one in decisions
        ]
        levels = levels_over(one.comparison for one in changed)
        counts.update(replace(one, levels=levels).verdict for one in changed)
    return counts
