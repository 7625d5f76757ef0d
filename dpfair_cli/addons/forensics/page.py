"""Writes forensics.md and forensics-rates.md, with the table of rates as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.addons.forensics import rates, text
from dpfair_cli.addons.forensics.examining import LEVEL, Examination
from dpfair_cli.addons.forensics.finding import Grade, NumberFinding
from dpfair_cli.addons.forensics.rates import Examined
from dpfair_cli.addons.forensics.simulation import (
    DIGITS,
    EPSILONS,
    METHODS,
    RECORDS,
    RUNS,
    SHARED,
)
from dpfair_cli.contracts.files import write_text
from dpfair_cli.reporting.markup import render

NAME, RATES = "forensics", "forensics-rates"
MOST_CELLS = 5  # of a finding on the page


def write_findings(examinations: Sequence[Examination], folder: Path) -> Path:
    """Writes the findings in all papers to forensics.md; returns the path."""
    file = folder / f"{NAME}.md"
    write_text(file, findings_text(examinations))
    return file


def findings_text(examinations: Sequence[Examination]) -> str:
    """The findings in all papers as Markdown."""
    papers = [_paper(one) for one in examinations]
    return render("forensics.md.j2", package=__package__, papers=papers)


def _paper(examination: Examination) -> dict[str, Any]:
    findings = examination.findings
    return {
        "name": examination.paper.name,
        "cells": len(examination.paper.cells),
        "checks": sum(examination.applied.values()),
        "facts": len(examination.of(Grade.FACT)),
        "hints": len(examination.of(Grade.HINT)),
        "withdrawn": len(examination.withdrawn),
        "findings": [_line(group) for group in text.grouped(findings)],
        "withdrawn_hints": [_line(group) for group in text.grouped(examination.withdrawn)],
        "causes": {str(one.kind): one.causes for one in findings},
        "skipped": [str(kind) for kind, number in examination.applied.items() if not number],
    }


def _line(group: Sequence[NumberFinding]) -> dict[str, str]:
    """The texts of a group of findings in the table of its paper."""
    cells = text.cells_of(group)
    more = [f"and {len(cells) - MOST_CELLS} more"] if len(cells) > MOST_CELLS else []
    return {
        "grade": str(group[0].grade),
        "kind": str(group[0].kind),
        "cells": "; ".join([*cells[:MOST_CELLS], *more]),
        "places": text.first_of(text.places(group)),
        "what": text.what(group),
        "chance": text.chance(group),
        "remark": "; ".join(text.remarks(group)),
    }


def write_rates(papers: Sequence[Examined], folder: Path) -> list[Path]:
    """Writes false alarms and detections to forensics-rates.md and .csv; returns the paths."""
    page, table = folder / f"{RATES}.md", folder / f"{RATES}.csv"
    write_text(page, rates_text(papers))
    lines: str = rates.detections(papers).to_csv(index=False, lineterminator="\n")
    write_text(table, lines)
    return [page, table]


def rates_text(papers: Sequence[Examined]) -> str:
    """False alarms and detections as Markdown."""
    return render(
        "forensics_rates.md.j2",
        package=__package__,
        cells=2 * (len(METHODS) + 1) * len(EPSILONS),
        runs=_either(RUNS),
        digits=_either(DIGITS),
        records=_either(RECORDS),
        shared=f"{SHARED:.0%}",
        level=f"{LEVEL:.0%}",
        alarms=_markdown(rates.false_alarms(papers)),
        alarms_of_mistakes=_markdown(rates.alarms_of_mistakes(papers)),
        detections=_markdown(rates.detections(papers)),
    )


def _either(values: Sequence[int]) -> str:
    """Numbers as text, "1, 2 or 3"."""
    *first, last = (f"{value:,}" for value in values)
    return f"{', '.join(first)} or {last}"


def _markdown(table: pd.DataFrame) -> str:
    """A table in Markdown; a share is printed in percent."""
    heading = list(map(str, table.columns))
    lines = [heading, ["---"] * len(heading)]
    lines += [[_cell(value) for value in line] for line in table.itertuples(index=False)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.0%}" if isinstance(value, float) else str(value)
