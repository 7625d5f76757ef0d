"""Parts of papers, and cells that print the number of another cell of the same part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.cells.judged import Experiment, JudgedCell

CHAPTER = re.compile(r"(?:table|figure|section)(\d+)\.")  # table8.2 is in chapter 8


def part_of(spec: Spec) -> str:
    """The paper of an artefact, with a chapter if its number has one: "xu2021, chapter 8"."""
    chapter = CHAPTER.match(spec.name)
    return f"{spec.paper}, chapter {chapter[1]}" if chapter else spec.paper


def repeated_cells(artefacts: Iterable[tuple[Spec, Sequence[JudgedCell]]]) -> set[JudgedCell]:
    """The cells that print the same number as an earlier cell of the same part of a paper.

    `artefacts` are pairs of a spec and the judged cells of its artefact.
    """
    seen: set[tuple[str, Experiment]] = set()
    repeated = set()
    for spec, cells in artefacts:
        for cell in cells:
            if cell.experiment and cell.verdict.is_compared:
                key = part_of(spec), cell.experiment
                if key in seen:
                    repeated.add(cell)
                seen.add(key)
    return repeated
