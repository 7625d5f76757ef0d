"""A picture that takes the gap of two published numbers apart, step by step."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.addons.referee.tables import Bar
from dpfair_cli.addons.referee.words import change, number
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT_OF_BAR, HEIGHT_OF_REST = 9.5, 0.52, 1.7  # inches
LONGEST = 44  # characters of a line of a name
COLOURS = {
    "published": style.DARK,
    "step": style.COLOURS[0],
    "setting not published": style.COLOURS[4],
    "rest": style.PALE,
}
NAMES = {
    "step": "a named difference, by our runs",
    "setting not published": "a setting that is not published, by our runs",
    "rest": "between our runs and the published number",
}
EXPLANATION = (
    "From the first published number to the second. A bar is the change of our mean when one thing "
    "changes; lines are 95 % confidence intervals, or rounding where the numbers have no chance"
)


def write(bars: Sequence[Bar], title: str, file: Path) -> Path:
    """Writes the picture of an entry; returns its path.

    Args:
        bars: The bars, from the first published number to the second.
        title: What the numbers are about.
        file: The path of the picture.
    """
    picture = Picture(pd.DataFrame(bars), Heading(title, EXPLANATION), partial(_draw, bars))
    return picture.write(file)


def _draw(bars: Sequence[Bar], figure: Figure) -> None:
    """Draws a bar for each step, from top to bottom."""
    figure.set_size_inches(WIDTH, HEIGHT_OF_REST + HEIGHT_OF_BAR * len(bars))
    axes = figure.subplots()
    room = _room(bars)
    shown: set[str] = set()
    for place, bar in enumerate(bars):
        if bar.kind == "published":
            _draw_published(axes, place, bar, room)
        else:
            label = NAMES[bar.kind] if bar.kind not in shown else None
            _draw_change(axes, place, bar, room, label)
            shown.add(bar.kind)
        # a thin line leads from the end of a bar to the beginning of the next one
        if place:
            ends = [place - 0.72, place - 0.28]
            axes.plot([bar.start] * 2, ends, color=style.GREY, linewidth=0.7)
    names = [textwrap.fill(bar.text, LONGEST) for bar in bars]
    axes.set_yticks(range(len(bars)), names, fontsize=8.5)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    low, high = _range(bars)
    axes.set_xlim(low - 0.25 * room, high + 0.35 * room)


def _draw_published(axes: Axes, place: int, bar: Bar, room: float) -> None:
    """Draws a published number as a mark with its noise and its value."""
    noise = 0.0 if math.isnan(bar.noise) else bar.noise
    mark = {"fmt": "D", "color": COLOURS["published"], "capsize": 3, "elinewidth": 1.2}
    axes.errorbar([bar.start], [place], xerr=[noise], **mark)  # type: ignore[arg-type]
    axes.text(
        bar.start + noise + 0.03 * room,
        place,
        number(bar.start),
        va="center",
        fontsize=9,
        fontweight="bold",
        color=style.DARK,
    )


def _draw_change(axes: Axes, place: int, bar: Bar, room: float, label: str | None) -> None:
    """Draws a change of our mean as a bar with its noise and its size."""
    low, high = sorted((bar.start, bar.end))
    colour = COLOURS[bar.kind]
    axes.barh(place, high - low, left=low, height=0.55, color=colour, label=label)
    noise = 0.0
    if not math.isnan(bar.noise):
        noise = bar.noise
        whisker = {"fmt": "none", "ecolor": style.DARK, "elinewidth": 1.0, "capsize": 2.5}
        axes.errorbar([bar.end], [place], xerr=[noise], **whisker)  # type: ignore[arg-type]
    right = max(high, bar.end + noise)
    axes.text(
        right + 0.03 * room,
        place,
        change(bar.end - bar.start),
        va="center",
        fontsize=9,
        color=style.DARK,
    )


def _range(bars: Sequence[Bar]) -> tuple[float, float]:
    """The smallest and the largest value that a bar or an interval reaches."""
    ends = []
    for bar in bars:
        noise = 0.0 if math.isnan(bar.noise) else bar.noise
        ends += [bar.start, bar.end - noise, bar.end + noise]
    return min(ends), max(ends)


def _room(bars: Sequence[Bar]) -> float:
    """The width of the values, in which distances of labels are measured; 1 for no width."""
    low, high = _range(bars)
    return high - low or 1.0
