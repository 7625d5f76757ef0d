"""The pages forensics.md and forensics-rates.md as texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from dpfair_cli.addons.forensics import rates, simulation, text
from dpfair_cli.addons.forensics.examining import LEVEL, Examination
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Grade
from dpfair_cli.addons.forensics.rates import Examined
from dpfair_cli.reporting import markup

MOST_CELLS = 5  # of a finding on the page


def findings_text(examinations: Sequence[Examination]) -> str:
    """The findings in all papers as Markdown."""
    papers = [_paper(one) for one in examinations]
    return markup.render("forensics.md.j2", package=__package__, papers=papers)


def _paper(examination: Examination) -> dict[str, Any]:
    """What the template shows of the examination of a paper."""
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
        "skipped": text.skipped(examination),
    }


def _line(group: Sequence[CheckedNumbers]) -> dict[str, str]:
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


def rates_text(papers: Sequence[Examined]) -> str:
    """False alarms and detections as Markdown."""
    tables = (rates.false_alarms, rates.alarms_of_mistakes, rates.detections)
    alarms, alarms_of_mistakes, detections = (_markdown(table(papers)) for table in tables)
    return markup.render(
        "forensics_rates.md.j2",
        package=__package__,
        # two scores of each method, and of the one without privacy
        cells=2 * (len(simulation.METHODS) + 1) * len(simulation.EPSILONS),
        runs=_either(simulation.RUNS),
        digits=_either(simulation.DIGITS),
        records=_either(simulation.RECORDS),
        shared=f"{simulation.SHARED:.0%}",
        level=f"{LEVEL:.0%}",
        alarms=alarms,
        alarms_of_mistakes=alarms_of_mistakes,
        detections=detections,
    )


def _either(values: Sequence[int]) -> str:
    """Numbers as text, "1, 2 or 3"."""
    *first, last = (f"{value:,}" for value in values)
    return f"{', '.join(first)} or {last}"


def _markdown(table: pd.DataFrame) -> str:
    """A table in Markdown; a share is printed in percent."""
    return markup.of_cells([*table.columns], (map(_cell, line) for line in table.values.tolist()))


def _cell(value: object) -> str:
    """A value of a table; only shares are decimals."""
    return f"{value:.0%}" if isinstance(value, float) else str(value)
