"""The parts that every HTML page has: contents, facts about the page, and sums at its head."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

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


@dataclass(frozen=True)
class Fact:
    """A fact that identifies what a page shows, such as the version of dpfair."""

    name: str
    """The name of the fact, such as "dpfair"."""

    text: str
    """The fact, such as "version 0.1.0"."""


@dataclass(frozen=True)
class BarPart:
    """A number of things with the same verdict, as a part of a bar."""

    name: str
    """The verdict."""

    count: int
    """The number of things with the verdict."""

    tone: str
    """The CSS class of the part of the bar; empty for a grey part."""


@dataclass(frozen=True)
class Headline:
    """A sum at the head of a page, with its parts: a number in large print and a bar."""

    title: str
    """The things that are counted, such as "published cells"."""

    shares: Sequence[BarPart]
    """The parts of the sum."""

    @property
    def total(self) -> int:
        """The number of all things."""
        return sum(share.count for share in self.shares)


@dataclass(frozen=True)
class ContentsEntry:
    """A line of the contents: a link to the section of an artefact."""

    anchor: str
    """The HTML id of the section."""

    name: str
    """The name of the artefact."""

    count: str = ""
    """A short number next to the name, such as "3 of 5"."""


@dataclass(frozen=True)
class Page:
    """What the frame of a page shows: contents, facts, counts and choices of the filter."""

    title: str
    """The title of the page."""

    rows: str
    """The name of the rows that the filter shows and hides, such as "cells and claims"."""

    example: str
    """A text that a reader can look for."""

    count_means: str
    """The meaning of the numbers in the contents."""

    facts: Sequence[Fact]
    """The facts that identify what the page shows."""

    headlines: Sequence[Headline]
    """The counts at the head of the page."""

    parts: Mapping[str, str]
    """The titles of the sections before those of artefacts, by HTML id."""

    contents: Mapping[str, Sequence[ContentsEntry]]
    """The lines of the contents, by paper."""

    choices: Mapping[str, Sequence[str]]
    """The values of each choice of the filter: verdict, method and dataset."""


def anchor(artefact: str) -> str:
    """The HTML id of the section of an artefact, such as xu2021-table8-1."""
    return artefact.replace("/", "-").replace(".", "-")


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
