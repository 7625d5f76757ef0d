"""Ours less published of one cell as a strip: marks on a short line around zero, drawn beside its
numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.check_page import cell_lines
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.differences import signed_differences
from dpfair_cli.verdicts.levels import NEAR

END = 0.1  # of a strip on either side, in units of the score or of five times the published value
HALF = 50  # END in units of the drawing
NEAR_HALF = round(HALF * NEAR / END, 1)  # of the band of differences that are near


class Strip(NamedTuple):
    """Where the marks of a cell are, from -HALF to HALF, and what they mean in words.

    `mean` is our mean, `low` and `high` two standard errors around it, `theirs` two of the
    published one around zero. `value` is the difference itself, to sort by; `beyond` is -1 or 1
    where the mean is off the strip at that end.
    """

    value: float
    mean: float
    low: float
    high: float
    theirs: float
    beyond: int
    words: str


def lines_with_strips(verdicts: Verdicts, spec: Spec) -> list[dict[str, Any]]:
    """The lines of `cell_lines` with a `strip` each; None where the cell was not compared."""
    found = signed_differences(verdicts, spec)
    numbers = found[["difference", "our_noise", "published_noise"]].fillna(0)
    strips = dict(zip(numbers.index, numbers.to_numpy(float).tolist(), strict=True))
    places = verdicts.default_cells.index
    return [
        line | {"strip": _strip(line, *strips[place]) if place in strips else None}
        for place, line in zip(places, cell_lines(verdicts), strict=True)
    ]


def _strip(
    line: dict[str, Any], difference: float, our_noise: float, published_noise: float
) -> Strip:
    """The strip of a compared cell."""
    beyond = 0 if abs(difference) <= END else 1 if difference > 0 else -1
    errors = f", two standard errors {line['two_errors']}" if line["two_errors"] else ""
    return Strip(
        value=round(difference, 4),
        mean=_place(difference),
        low=_place(difference - our_noise),
        high=_place(difference + our_noise),
        theirs=_place(published_noise),
        beyond=beyond,
        words=f"ours {line['ours']}, published {line['published']}, difference {line['difference']}{errors}",
    )


def _place(difference: float) -> float:
    """The place of a difference on the strip, at its end if it is further."""
    return round(max(-END, min(END, difference)) / END * HALF, 1)
