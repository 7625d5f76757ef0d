"""The columns of the list of published cells, on check.md and in the report."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.wording import format_mean

DIGITS = 4  # decimals of a difference


class Column(NamedTuple):
    """A column of a table: its heading, the text of a cell, and the cell's class in the report."""

    heading: str
    text: Callable[[JudgedCell], str]
    css_class: str = ""


def ours(cell: JudgedCell) -> str:
    """Our mean for a published cell, with its standard deviation; empty if nothing was compared."""
    return format_mean(cell.default.ours.mean, cell.default.ours.std) if cell.default else ""


def published(cell: JudgedCell) -> str:
    """The published mean of a cell with its standard deviation, as text."""
    return format_mean(cell.published.mean, cell.published.std)


def difference(cell: JudgedCell) -> str:
    """Our mean minus the published mean of a cell, as text; empty if nothing was compared."""
    return signed(cell.default.comparison.signed) if cell.default else ""


def signed(value: float) -> str:
    """A difference as text with its sign; the sign is plus if the difference rounds to zero."""
    return f"{round(value, DIGITS) + 0.0:+.{DIGITS}f}"


def interval(cell: JudgedCell) -> str:
    """Half the width of the 90 % interval of the difference; empty if it is unknown."""
    width = cell.default.comparison.half_width if cell.default else math.nan
    return "" if math.isnan(width) else f"{width:.4f}"


def rival(cell: JudgedCell) -> str:
    """The value of another method or a constant that is nearest to the published value."""
    nearest = cell.default.decision.nearest_rival if cell.default else None
    return "" if nearest is None else f"{nearest:.{DIGITS}f}"


def half_gap(cell: JudgedCell) -> str:
    """Half the distance from the published value to the nearest rival; empty without a rival."""
    return f"{cell.default.decision.gap / 2:.{DIGITS}f}" if cell.default and rival(cell) else ""


COLUMNS = (
    Column("cell", lambda cell: cell.description, "words"),
    Column("ours", ours),
    Column("published", published),
    Column("difference", difference),
    Column("± of the 90 % interval", interval),
    Column("nearest rival", rival),
    Column("half its distance", half_gap),
    Column("verdict", lambda cell: cell.full_verdict),
    Column("would decide", lambda cell: cell.remedy, "words"),
    Column("nearest variant", lambda cell: cell.nearest.label if cell.nearest else ""),
)
REPORT_COLUMNS = tuple(one for one in COLUMNS if one.text is not half_gap)  # a reader can halve
