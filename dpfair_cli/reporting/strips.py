"""Strips in the report: our mean minus the published mean as marks on a short line around zero."""

from __future__ import annotations

import math
from typing import NamedTuple

from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.score.signed_differences import SignedDifference, signed_differences

END = 0.1  # end of a strip, in units of the score or of five times the published value
HALF = 50  # END in units of the drawing
BAND = round(100 * MARGIN / END)  # width of the band of near differences, in percent of a strip


class Strip(NamedTuple):
    """The marks of a cell on a short line around zero."""

    value: float
    """The difference, for sorting."""

    mean: float
    """The place of the difference."""

    low: float
    """The lower end of the 90 % interval of the difference."""

    high: float
    """The upper end of the 90 % interval of the difference."""

    beyond: int
    """-1 or 1 if our mean is beyond the left or right end of the strip, otherwise 0."""


def strips_of(verdicts: Verdicts) -> dict[JudgedCell, Strip]:
    """The strip of each compared cell: our mean minus the published mean, as marks on a line."""
    return {one.cell: _strip(one) for one in signed_differences(verdicts)}


def _strip(one: SignedDifference) -> Strip:
    """The strip of one compared cell: the difference of the means, as marks on a line."""
    beyond = 0 if abs(one.difference) <= END else int(math.copysign(1, one.difference))
    width = 0.0 if math.isnan(one.half_width) else one.half_width
    return Strip(
        value=round(one.difference, 4),
        mean=_place(one.difference),
        low=_place(one.difference - width),
        high=_place(one.difference + width),
        beyond=beyond,
    )


def _place(difference: float) -> float:
    """The position of a difference on a strip; a difference beyond the strip is put at its end."""
    return round(max(-END, min(END, difference)) / END * HALF, 1)
