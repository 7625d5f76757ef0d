"""How each verdict looks: its tone on a page, its mark in a picture, and its place in a legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpfair_cli.reporting.figures.style import COLOURS
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.cells.verdict import CellVerdict
from dpfair_cli.verdicts.claims.judging import JudgedClaim
from dpfair_cli.verdicts.claims.verdict import ClaimVerdict
from dpfair_cli.verdicts.deviations.deviation import DeviationKind

GOOD, MIDDLE, BAD, PLAIN = "good", "middle", "bad", ""  # tones: classes of report.css


@dataclass(frozen=True)
class Look:
    """The appearance of a verdict.

    Attributes:
        name: its name in a legend.
        tone: its class on a page.
        colour: the colour of its mark; empty for a verdict that no picture shows.
        marker: the shape of its mark.
        filled: whether its mark is filled.
    """

    name: str
    tone: str = PLAIN
    colour: str = ""
    marker: str = ""
    filled: bool = True

    @property
    def mark(self) -> dict[str, Any]:
        """The marker of a verdict as keyword arguments of matplotlib."""
        face = {"markerfacecolor": self.colour if self.filled else "white"}
        return {"fmt": self.marker, "color": self.colour, "markeredgecolor": self.colour, **face}


EXPLAINED = Look("differs, explained", MIDDLE, COLOURS[3], "s", filled=False)
CELL_LOOKS = {
    CellVerdict.REPRODUCED: Look("reproduced", GOOD, COLOURS[2], "o"),
    CellVerdict.CONSISTENT: Look("consistent", GOOD, COLOURS[0], "^"),
    CellVerdict.UNDECIDED: Look("undecided", MIDDLE, COLOURS[4], "D", filled=False),
    CellVerdict.DIFFERS: Look("differs, not explained", BAD, COLOURS[1], "X"),
    CellVerdict.MISSING: Look("missing", BAD),
}
SYMBOLS = {  # of a verdict in text without colours
    CellVerdict.REPRODUCED: "✓",
    CellVerdict.CONSISTENT: "≈",
    CellVerdict.UNDECIDED: "?",
    CellVerdict.DIFFERS: "✗",
    CellVerdict.MISSING: "!",
    CellVerdict.NOT_RUN: "–",
    CellVerdict.NOT_COMPARED: "·",
    CellVerdict.RECORD_COUNT: "#",
}
CLAIM_TONES = {
    ClaimVerdict.HOLDS: GOOD,
    ClaimVerdict.FAILS: BAD,
    ClaimVerdict.UNDECIDED: MIDDLE,
}
DRAWN = [look for verdict, look in CELL_LOOKS.items() if verdict.is_compared]
LEGEND = (*DRAWN[:-1], EXPLAINED, DRAWN[-1])  # in order; what differs comes last


def look_of(verdict: CellVerdict, kind: str) -> Look:
    """The look of a verdict on a cell whose deviation is of a kind; `kind` is empty without one.

    A difference whose explanation is only a hypothesis, or open, looks unexplained.
    """
    if verdict is CellVerdict.DIFFERS and kind and DeviationKind(kind).explains:
        return EXPLAINED
    return CELL_LOOKS.get(verdict, Look(str(verdict)))


def look_of_cell(cell: JudgedCell) -> Look:
    """The colour, marker and name for the verdict on a published cell."""
    return look_of(cell.verdict, cell.kind)


def tone_of_claim(claim: JudgedClaim) -> str:
    """The CSS class of the verdict on a claim."""
    return CLAIM_TONES.get(claim.verdict, PLAIN)


def looks_by_text() -> dict[str, Look]:
    """The look of each verdict on a cell, by its text in tables, such as "differs (data)"."""
    found = {str(verdict): look for verdict, look in CELL_LOOKS.items()}
    differs = CellVerdict.DIFFERS
    return found | {f"{differs} ({kind})": look_of(differs, kind) for kind in DeviationKind}


def tones_by_text() -> dict[str, str]:
    """The class on a page of each verdict on a cell, by its text in tables."""
    return {word: look.tone for word, look in looks_by_text().items()}
