"""Significance levels that control the false discovery rate over all cells of a paper.

A paper has hundreds of cells, and a test at the level 0.05 is wrong for one of twenty. The method
of Benjamini and Hochberg (1995) lowers the level until, of all cells that are called equivalent, at
most a twentieth is expected to be called so wrongly, and likewise of those that are called
different. The levels of a paper are computed when all its artefacts are compared, and kept in
results/<paper>/levels.json for commands that compare only some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from dpfair_cli.verdicts.cells.comparison import LEVEL, Comparison
from dpfair_cli.verdicts.cells.rule import Levels

FILE = "levels.json"


def controlled_level(p_values: Iterable[float], rate: float = LEVEL) -> float:
    """The largest p-value that is significant at a false discovery rate; 0 if none is.

    Source: Benjamini and Hochberg, 1995, Equation 1.

    Examples:
        >>> controlled_level([0.01, 0.02, 0.03, 0.9])
        0.03
        >>> controlled_level([0.04, 0.9])
        0.0
    """
    ordered = sorted(p_values)
    passing = [p for rank, p in enumerate(ordered, 1) if p * len(ordered) <= rate * rank]
    return max(passing, default=0.0)


def levels_of(comparisons: Iterable[Comparison]) -> Levels:
    """The levels of a paper, given the comparison of each of its distinct cells."""
    known = list(comparisons)
    return Levels(
        controlled_level(one.p_equivalent for one in known),
        controlled_level(one.p_different for one in known),
    )


def read_levels(results: Path, paper: str) -> Levels:
    """The levels of a paper as its results contain them; without such a file, those of one test."""
    file = results / paper / FILE
    return Levels(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else Levels()


def write_levels(levels: Levels, results: Path, paper: str) -> None:
    """Writes results/<paper>/levels.json."""
    text = json.dumps(asdict(levels), indent=1)
    (results / paper / FILE).write_text(f"{text}\n", encoding="utf-8")
