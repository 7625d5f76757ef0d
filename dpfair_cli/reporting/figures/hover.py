"""The numbers of each point of a picture, kept in the picture's own file."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from PIL.PngImagePlugin import PngInfo

KEY = "Points"  # of a text in a PNG file
MANY_POINTS = 30  # a longer line is thinned out; more points without a line are left out
NUMBER = re.compile(r"[$\d\u2212-]")  # how the number at a tick begins, with either minus
PLAIN = {"$": "", "\\varepsilon": "ε", "\\delta": "δ"}


class HoverPoint(NamedTuple):
    """A point of a figure, in thousandths of width and height, with the text that describes it."""

    x: int
    y: int
    words: str


def points_of(figure: Figure) -> list[HoverPoint]:
    """The points of all named lines of a figure whose layout is final."""
    found: list[HoverPoint] = []
    for axes in figure.axes:
        for name, line in _named_lines(axes):
            found += _points(axes, name, line)
    return found


def add_to(information: PngInfo, points: list[HoverPoint]) -> None:
    """Stores the points of a figure in the metadata of its PNG file."""
    information.add_itxt(
        KEY, json.dumps(points, ensure_ascii=False, separators=(",", ":")), zip=True
    )


def read_from(information: dict[Any, Any]) -> list[HoverPoint]:
    """The points that are stored in the metadata of a PNG file; empty without such metadata."""
    return [HoverPoint(*point) for point in json.loads(str(information.get(KEY, "[]")))]


def _named_lines(axes: Axes) -> list[tuple[str, Line2D]]:
    """The lines, and the middles of bars, whose name does not begin with an underscore."""
    from matplotlib.container import ErrorbarContainer

    bars = [
        bar
        for bar in axes.containers
        if isinstance(bar, ErrorbarContainer) and bar.lines[0] is not None
    ]
    found = [
        *((line.get_label(), line) for line in axes.lines),
        *((bar.get_label(), bar.lines[0]) for bar in bars),
    ]
    return [(str(name), line) for name, line in found if name and not str(name).startswith("_")]


def _points(axes: Axes, name: str, line: Line2D) -> list[HoverPoint]:
    """The visible points of a line in its panel; empty for a horizontal line across the panel."""
    values = np.asarray(line.get_xydata(), dtype=float)
    is_cloud = line.get_linestyle() == "None" and len(values) > MANY_POINTS
    if line.get_transform() != axes.transData or is_cloud:
        return []
    figure, (left, right), (low, high) = (
        axes.get_figure(),
        sorted(axes.get_xlim()),
        sorted(axes.get_ylim()),
    )
    shares = axes.transData + figure.transFigure.inverted()  # type: ignore[union-attr]
    title, x_name, y_name = _names(axes)
    found = []
    for x, y in values[:: 1 + len(values) // MANY_POINTS]:
        if left <= x <= right and low <= y <= high:
            across, up = shares.transform((x, y))
            words = f"{name}: {x_name} {_written(axes, x)}, {y_name} {y:.4g}"
            found.append(
                HoverPoint(
                    round(1000 * across),
                    round(1000 * (1 - up)),
                    f"{title}, {words}" if title else words,
                )
            )
    return found


def _names(axes: Axes) -> tuple[str, str, str]:
    """The title of a panel and the names of its axes, possibly shared by panels of a column."""
    column = [
        other
        for other in axes.figure.axes
        if abs(other.get_position().x0 - axes.get_position().x0) < 1e-3
    ]
    title = next(filter(None, (other.get_title() for other in column)), "")
    x_name = next(filter(None, (other.get_xlabel() for other in column)), "x")
    return _plain(title), _plain(x_name), _plain(axes.get_ylabel() or "y")


def _written(axes: Axes, x: float) -> str:
    """The text of a position on the horizontal axis: the word of its tick, or the number."""
    for place in {x, float(round(x))} & {
        *axes.get_xticks()
    }:  # methods stand a little beside a word
        tick = axes.xaxis.get_major_formatter().format_ticks([place])[0]
        if tick and not NUMBER.match(tick):
            return tick
    return f"{x:.4g}"


def _plain(text: str) -> str:
    for sign, plain in PLAIN.items():
        text = text.replace(sign, plain)
    return text
