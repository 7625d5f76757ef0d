"""An examination of a paper as text for the terminal and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpfair_cli.forensics.examining import LEVEL, Examination
from dpfair_cli.forensics.finding import Finding, Grade
from dpfair_cli.forensics.printed import PrintedCell

MOST_CELLS = 4  # of a finding in a terminal


def lines(examination: Examination) -> Iterator[str]:
    """Yields the lines that describe an examination: a summary, then every finding."""
    yield summary(examination)
    for one in examination.findings:
        yield f"{one.grade}: {one.kind}: {one.what}"
        yield from (f"    {cell}" for cell in cells_of(one)[:MOST_CELLS])
        if len(one.cells) > MOST_CELLS:
            yield f"    and {len(one.cells) - MOST_CELLS} more cells"
        yield f"    place: {'; '.join(places(one))}"
        yield f"    by chance: {chance(one)}"
        yield f"    possible causes: {one.causes}"
    skipped = [str(kind) for kind, number in examination.applied.items() if not number]
    if skipped and examination.paper.cells:
        yield f"{examination.paper.name}: not applied, for lack of facts: {', '.join(skipped)}"


def summary(examination: Examination) -> str:
    """One line with the numbers of cells, tests, facts and hints."""
    facts, hints = (len(examination.of(grade)) for grade in Grade)
    return (
        f"{examination.paper.name}: {counted(len(examination.paper.cells), 'cell')}, "
        f"{counted(sum(examination.applied.values()), 'check')}: "
        f"{counted(facts, 'fact')}, {counted(hints, 'hint')}"
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun, such as "2 facts".

    >>> counted(1, "hint")
    '1 hint'
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def chance(finding: Finding) -> str:
    """How often such numbers occur by chance, in words."""
    if finding.grade is Grade.FACT:
        return "impossible"
    return (
        f"at most {finding.chance:.1e}, after correction for the number of tests "
        f"{finding.corrected:.1e} (limit {LEVEL:g})"
    )


def cells_of(finding: Finding) -> list[str]:
    """The names of the cells of a finding, each with its printed numbers."""
    return [f"{cell}: {cell.as_printed}" for cell in finding.cells]


def places(finding: Finding) -> list[str]:
    """The places of the cells of a finding, without repetitions."""
    return list(dict.fromkeys(cell.published.place for cell in finding.cells))


def as_data(examinations: Sequence[Examination]) -> dict[str, Any]:
    """Examinations as mappings, lists, texts and numbers."""
    return {"limit": LEVEL, "papers": [_paper(one) for one in examinations]}


def _paper(examination: Examination) -> dict[str, Any]:
    return {
        "paper": examination.paper.name,
        "cells": len(examination.paper.cells),
        "applied": {str(kind): number for kind, number in examination.applied.items()},
        "findings": [_finding(one) for one in examination.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    is_fact = finding.grade is Grade.FACT
    return {
        "grade": str(finding.grade),
        "check": str(finding.kind),
        "what": finding.what,
        "chance": None if is_fact else finding.chance,
        "corrected chance": None if is_fact else finding.corrected,
        "possible causes": finding.causes,
        "cells": [_cell(one) for one in finding.cells],
    }


def _cell(cell: PrintedCell) -> dict[str, Any]:
    one = cell.published
    return {
        "artefact": one.artefact,
        "dataset": one.dataset,
        "method": one.method,
        **one.parameters,
        "metric": one.metric,
        "printed": cell.as_printed,
        "place": one.place,
        "line": one.line,
    }
