"""Verdicts in a picture: their marks and legend, and the band of differences that pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.looks import LEGEND, Look
from dpfair_cli.verdicts.cells.comparison import MARGIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINEAR_END = 0.05  # of a logarithmic axis: up to here it is linear
LINEAR = 12  # times LINEAR_END: further differences hide the others on a linear axis
LINEAR_PART = 1.5  # of a logarithmic axis: the length up to LINEAR_END, in powers of ten
TICKS = (0.2, 1, 10, 100, 1000)  # of a logarithmic axis, beyond LINEAR_END

Axis = Literal["x", "y"]  # along which the differences lie


def by_look(cells: pd.DataFrame) -> Iterator[tuple[Look, pd.DataFrame]]:
    """Each look that occurs, with its cells; the cells have the name of a look in column `look`."""
    for look in LEGEND:
        mine = cells[cells["look"] == look.name]
        if len(mine):
            yield look, mine


def add_to_legend(axes: Axes, axis: Axis, names: Mapping[Look, str], **size: Any) -> None:
    """Adds a mark with a bar for each look to the legend, in a fixed order."""
    for one, name in names.items():
        bars: dict[str, Any] = {f"{axis}err": []}
        axes.errorbar([], [], label=name, **bars, **one.mark, **size)


def draw_limits(axes: Axes, axis: Axis, unit: float) -> None:
    """Draws the zero line and the band of differences that are smaller than the margin."""
    span, line = (axes.axvspan, axes.axvline) if axis == "x" else (axes.axhspan, axes.axhline)
    span(-MARGIN * unit, MARGIN * unit, color=style.COLOURS[2], alpha=0.13, linewidth=0, zorder=0)
    line(0, color=style.DARK, linewidth=0.8, zorder=1)


def is_far(furthest: float, unit: float) -> bool:
    """Whether differences up to `furthest` need a logarithmic axis."""
    return furthest > LINEAR * LINEAR_END * unit


def make_logarithmic(axes: Axes, axis: Axis, unit: float) -> None:
    """Makes an axis of differences logarithmic beyond LINEAR_END, with ticks at the limits."""
    from matplotlib.ticker import FixedLocator, NullLocator

    (axes.set_xscale if axis == "x" else axes.set_yscale)(
        "symlog", linthresh=LINEAR_END * unit, linscale=LINEAR_PART
    )
    ticks = [MARGIN * unit, LINEAR_END * unit]
    ticks += [tick for tick in TICKS if tick > 2 * LINEAR_END * unit]
    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_locator(FixedLocator([*(-tick for tick in reversed(ticks)), 0, *ticks]))
    own.set_minor_locator(NullLocator())
    axes.autoscale_view()


def name_ticks(axes: Axes, axis: Axis) -> None:
    """Writes the numbers at an axis of differences with their signs."""
    from matplotlib.ticker import FuncFormatter

    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_formatter(
        FuncFormatter(lambda value, _position: f"{value:+.4g}" if value else "0")
    )
