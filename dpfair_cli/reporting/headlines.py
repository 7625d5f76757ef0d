"""The sums at the head of the report, made of its tables of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from dpfair_cli.reporting.html_page import BarPart, Headline
from dpfair_cli.reporting.looks import (
    BAD,
    CELL_LOOKS,
    CLAIM_TONES,
    GOOD,
    PLAIN,
    Look,
    look_of,
)
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.deviations.deviation import DeviationKind

NO_COUNTS = ["part", "data", "published numbers", "in all"]  # of a table of counts: no verdicts
LOOKS_OF_CELLS = {str(verdict): look for verdict, look in CELL_LOOKS.items()} | {
    f"{CellVerdict.DIFFERS} ({kind})": look_of(CellVerdict.DIFFERS, kind) for kind in DeviationKind
}
LOOKS_OF_CLAIMS = {str(verdict): Look(str(verdict), tone) for verdict, tone in CLAIM_TONES.items()}
LOOKS_OF_AUDITS = {name: Look(name, tone) for name, tone in (("holds", GOOD), ("refuted", BAD))}


def headlines(cells: pd.DataFrame, claims: pd.DataFrame, audits: pd.DataFrame) -> list[Headline]:
    """The sums of the tables that count published cells, claims and audits by verdict."""
    return [
        headline("published cells", cells, LOOKS_OF_CELLS),
        headline("claims of the papers", claims, LOOKS_OF_CLAIMS),
        headline("privacy audits", audits, LOOKS_OF_AUDITS),
    ]


def headline(title: str, table: pd.DataFrame, looks: Mapping[str, Look]) -> Headline:
    """The sums of a table of counts, for the head of the page.

    Verdicts with the same look count together: "differs (open)" as "differs, not explained".
    """
    counts: Counter[Look] = Counter()
    for name in table.columns.drop(NO_COUNTS, errors="ignore"):
        counts[looks.get(name, Look(name, PLAIN))] += int(table[name].sum())
    return Headline(title, [BarPart(look.name, count, look.tone) for look, count in counts.items()])
