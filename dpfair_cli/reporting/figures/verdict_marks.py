"""How the verdict on a published cell looks in a picture: one colour and mark a verdict, and the
band that passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd

from dpfair_cli.reporting.figures import style
from dpfair_cli.verdicts.deviations import Kind
from dpfair_cli.verdicts.levels import NEAR, WIDEST, Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINEAR = 12  # times WIDEST: differences that are further than that hide the others on a linear axis
LINEAR_PART = 1.5  # of a logarithmic axis: WIDEST is as far from zero as that many powers of ten are from each other
TICKS = (0.2, 1, 10, 100, 1000)  # of a logarithmic axis, beyond WIDEST

Axis = Literal["x", "y"]  # along which the differences lie


class Look(NamedTuple):
    """Name in the legend, colour, marker, and whether the mark is filled."""

    name: str
    colour: str
    marker: str
    filled: bool = True

    @property
    def mark(self) -> dict[str, Any]:
        """The mark as matplotlib wants it."""
        face = {"markerfacecolor": self.colour if self.filled else "white"}
        return {"fmt": self.marker, "color": self.colour, "markeredgecolor": self.colour, **face}


EXPLAINED = Look("differs, explained", style.COLOURS[3], "s", filled=False)
DIFFERS = Look("differs, not explained", style.COLOURS[1], "X")
LOOKS = {
    Level.REPRODUCED: Look("reproduced", style.COLOURS[2], "o"),
    Level.WITHIN_NOISE: Look("within noise", style.COLOURS[0], "^"),
    Level.UNDECIDED: Look("undecided", style.COLOURS[4], "D", filled=False),
}
IN_ORDER = (*LOOKS.values(), EXPLAINED, DIFFERS)


def look(verdict: str, kind: str) -> Look:
    """The look of a compared cell; a difference whose cause is a guess or open is not explained."""
    if verdict != Level.DIFFERS:
        return LOOKS[Level(verdict)]
    return EXPLAINED if kind and Kind(kind).explains else DIFFERS


def by_look(cells: pd.DataFrame) -> Iterator[tuple[Look, pd.DataFrame]]:
    """Each look that occurs with its cells, in the order of the legend."""
    looks = [look(*words) for words in zip(cells["verdict"], cells["kind"], strict=True)]
    for one in IN_ORDER:
        mine = cells[[found == one for found in looks]]
        if len(mine):
            yield one, mine


def add_to_legend(axes: Axes, axis: Axis, names: Mapping[Look, str], **size: Any) -> None:
    """Let the legend have a mark with a bar for each look under its name, in one order whatever is
    drawn first.
    """
    for one, name in names.items():
        bars: dict[str, Any] = {f"{axis}err": []}
        axes.errorbar([], [], label=name, **bars, **one.mark, **size)


def draw_limits(axes: Axes, axis: Axis, unit: float) -> None:
    """Draw along an axis zero, the band of differences that are near, and the widest that can pass."""
    span, line = (axes.axvspan, axes.axvline) if axis == "x" else (axes.axhspan, axes.axhline)
    span(-NEAR * unit, NEAR * unit, color=style.COLOURS[2], alpha=0.13, linewidth=0, zorder=0)
    line(0, color=style.DARK, linewidth=0.8, zorder=1)
    for side in (-WIDEST, WIDEST):
        line(side * unit, color=style.GREY, linewidth=0.9, linestyle=style.DASHES[0], zorder=1)


def is_far(furthest: float, unit: float) -> bool:
    """Whether differences up to the furthest need a logarithmic axis."""
    return furthest > LINEAR * WIDEST * unit


def make_logarithmic(axes: Axes, axis: Axis, unit: float) -> None:
    """Give an axis of differences a scale that is logarithmic beyond WIDEST, with ticks at the
    limits and beyond.
    """
    from matplotlib.ticker import FixedLocator, NullLocator

    (axes.set_xscale if axis == "x" else axes.set_yscale)(
        "symlog", linthresh=WIDEST * unit, linscale=LINEAR_PART
    )
    ticks = [NEAR * unit, WIDEST * unit, *(tick for tick in TICKS if tick > 2 * WIDEST * unit)]
    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_locator(FixedLocator([*(-tick for tick in reversed(ticks)), 0, *ticks]))
    own.set_minor_locator(NullLocator())
    axes.autoscale_view()


def name_ticks(axes: Axes, axis: Axis) -> None:
    """Write the numbers at an axis of differences with their sign."""
    from matplotlib.ticker import FuncFormatter

    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_formatter(
        FuncFormatter(lambda value, _position: f"{value:+.4g}" if value else "0")
    )
