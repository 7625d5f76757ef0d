"""An examination of a paper as text for the terminal and as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from dpfair_cli.addons.forensics.examining import LEVEL, Examination
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Grade
from dpfair_cli.addons.forensics.printed import PrintedCell, groups

MOST_CELLS = 4  # of a finding in a terminal


def lines(examination: Examination) -> Iterator[str]:
    """Yields the lines that describe an examination: a summary, then the findings in groups."""
    yield summary(examination)
    for group in grouped(examination.findings):
        yield f"{group[0].grade}: {group[0].kind}: {what(group)}"
        cells = cells_of(group)
        yield from (f"    {cell}" for cell in cells[:MOST_CELLS])
        if len(cells) > MOST_CELLS:
            yield f"    and {counted(len(cells) - MOST_CELLS, 'more cell')}"
        yield f"    place: {first_of(places(group))}"
        yield f"    by chance: {chance(group)}"
        yield f"    possible causes: {group[0].causes}"
        yield from (f"    remark: {one}" for one in remarks(group))
    for group in grouped(examination.withdrawn):
        yield f"withdrawn hint: {group[0].kind}: {what(group)}"
        yield f"    {remarks(group)[0]}"
    if examination.paper.cells and (lacking := ", ".join(skipped(examination))):
        yield f"{examination.paper.name}: not applied, for lack of facts: {lacking}"


def grouped(findings: Sequence[CheckedNumbers]) -> list[list[CheckedNumbers]]:
    """The findings in groups of one grade and kind about one artefact and data set."""
    return [*groups(findings, _subject).values()]


def _subject(finding: CheckedNumbers) -> tuple[str, ...]:
    """What the findings of a group have in common."""
    cell = finding.cells[0].published
    return finding.grade, finding.kind, cell.artefact, cell.dataset


def what(group: Sequence[CheckedNumbers]) -> str:
    """What the first finding of a group found, and how many others there are."""
    more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
    return f"{group[0].what}{more}"


def first_of(texts: Sequence[str]) -> str:
    """The first text, and how many others there are."""
    return f"{texts[0]} (and {len(texts) - 1} more)" if len(texts) > 1 else texts[0]


def remarks(group: Sequence[CheckedNumbers]) -> list[str]:
    """What our runs say of the hints of a group, in one remark; empty without our runs."""
    found = list(dict.fromkeys(one.remark for one in group if one.remark))
    return [first_of(found)] if found else []


def summary(examination: Examination) -> str:
    """One line with the numbers of cells, tests, facts, hints and withdrawn hints."""
    facts, hints = (len(examination.of(grade)) for grade in Grade)
    withdrawn = len(examination.withdrawn)
    more = f", {counted(withdrawn, 'hint')} withdrawn" if withdrawn else ""
    return (
        f"{examination.paper.name}: {counted(len(examination.paper.cells), 'cell')}, "
        f"{counted(sum(examination.applied.values()), 'check')}: "
        f"{counted(facts, 'fact')}, {counted(hints, 'hint')}{more}"
    )


def counted(number: int, noun: str) -> str:
    """A number with its noun, such as "2 facts".

    >>> counted(1, "hint")
    '1 hint'
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def chance(group: Sequence[CheckedNumbers]) -> str:
    """How often such numbers occur by chance, in words; for several findings the largest chance."""
    if group[0].grade is Grade.FACT:
        return "impossible"
    own = max(one.chance for one in group)
    corrected = max(one.corrected for one in group)
    return (
        f"at most {own:.1e}, after correction for the number of tests {corrected:.1e} "
        f"(limit {LEVEL:g})"
    )


def cells_of(group: Sequence[CheckedNumbers]) -> list[str]:
    """The names of the cells of some findings, each with its printed numbers."""
    return list(dict.fromkeys(f"{cell}: {cell.as_printed}" for cell in _cells(group)))


def places(group: Sequence[CheckedNumbers]) -> list[str]:
    """The places of the cells of some findings, without repetitions."""
    return list(dict.fromkeys(cell.published.place for cell in _cells(group)))


def skipped(examination: Examination) -> list[str]:
    """The kinds of checks that the paper lacks the facts for."""
    return [str(kind) for kind, number in examination.applied.items() if not number]


def _cells(group: Sequence[CheckedNumbers]) -> Iterator[PrintedCell]:
    """The cells of all findings of a group, with repetitions."""
    return chain.from_iterable(one.cells for one in group)


def as_data(examinations: Sequence[Examination]) -> dict[str, Any]:
    """Examinations as mappings, lists, texts and numbers."""
    return {"limit": LEVEL, "papers": [_paper(one) for one in examinations]}


def _paper(examination: Examination) -> dict[str, Any]:
    """An examination as plain data."""
    return {
        "paper": examination.paper.name,
        "cells": len(examination.paper.cells),
        "applied": {str(kind): number for kind, number in examination.applied.items()},
        "findings": [_finding(one) for one in examination.findings],
        "withdrawn": [_finding(one) for one in examination.withdrawn],
    }


def _finding(finding: CheckedNumbers) -> dict[str, Any]:
    """A finding as plain data; a fact has no chance."""
    is_fact = finding.grade is Grade.FACT
    return {
        "grade": str(finding.grade),
        "check": str(finding.kind),
        "what": finding.what,
        "chance": None if is_fact else finding.chance,
        "corrected chance": None if is_fact else finding.corrected,
        "possible causes": finding.causes,
        "remark": finding.remark,
        "cells": [_cell(one) for one in finding.cells],
    }


def _cell(cell: PrintedCell) -> dict[str, Any]:
    """A cell as plain data: its names, its numbers as printed, and where they stand."""
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
