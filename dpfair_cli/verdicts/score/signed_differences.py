"""Our mean minus the published mean of each cell, in units in which 0.02 counts as near."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.decision import Verdicts


@dataclass(frozen=True)
class SignedDifference:
    """Our mean minus the published mean of one cell, under the default variant.

    All numbers are in units of the score. For a score that is not a rate, the unit is five times
    the published value, so that a tenth of the published value becomes 0.02.
    """

    cell: JudgedCell
    difference: float  # our mean minus the published mean
    half_width: float  # of the 90 % interval of the difference; NaN if unknown


def signed_differences(verdicts: Verdicts) -> list[SignedDifference]:
    """Our mean minus the published mean of each compared cell of an artefact."""
    found = [(cell, cell.default.comparison) for cell in verdicts.compared if cell.default]
    return [
        SignedDifference(
            cell,
            _in_parts(one.signed, one.scale),
            _in_parts(one.half_width, one.scale),
        )
        for cell, one in found
    ]


def _in_parts(number: float, scale: float) -> float:
    """A difference divided by a scale; infinite with its sign if the scale is 0, NaN if unknown."""
    if math.isnan(number):
        return number
    if scale:
        return number / scale
    return math.copysign(math.inf, number) if number else 0.0
