"""A point at infinity on a horizontal axis of numbers, with its own place and tick."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def is_infinite(x: pd.Series[Any]) -> pd.Series[bool]:
    """Whether each value of a parameter is infinite; the values may also be words."""
    return x.map(lambda value: isinstance(value, float) and value == np.inf)


def with_infinity_placed(
    points: pd.DataFrame, x: str, *, log_x: bool
) -> tuple[pd.DataFrame, float]:
    """The points with a finite position for infinity, a column `beyond`, and the position.

    Without a point at infinity the position is infinity. The position is a power of ten, at least
    half a decade after the last point; on linear axes it is a fifth of their range after the last
    point.
    """
    values, beyond = points[x], is_infinite(points[x])
    finite = values[~beyond].dropna()
    if not beyond.any() or not len(finite):
        return points.assign(beyond=False), np.inf
    largest = float(finite.max())
    end = (
        10 ** np.ceil(np.log10(largest) + 0.5)
        if log_x
        else largest + (largest - float(finite.min())) / 5
    )
    return points.assign(**{x: values.mask(beyond, end)}, beyond=beyond), float(end)


def draw_line(
    axes: Axes, points: pd.DataFrame, x: str, *, label: str = "", every: int = 1, **look: Any
) -> None:
    """Draws a line through the means with a mark on each `every`-th point.

    The line to points at infinity is dotted.
    """
    near, far = points[~points["beyond"]], points[points["beyond"]]
    axes.plot(near[x], near["mean"], markevery=every, label=label or None, zorder=3, **look)
    if len(far):
        way = pd.concat([near.tail(1), far])
        axes.plot(way[x], way["mean"], linestyle=":", zorder=2, **look)


def name_infinity(axes: Axes, last: float, end: float) -> None:
    """Ends the numeric ticks at the last point, and labels the position of infinity."""
    from matplotlib.ticker import FixedLocator, FuncFormatter

    axis, written = axes.xaxis, axes.xaxis.get_major_formatter()
    numbers = last * (1 + 1e-9)  # ticks are rounded
    axis.set_minor_locator(
        FixedLocator([tick for tick in axis.get_minorticklocs() if tick <= numbers])
    )
    axis.set_major_locator(
        FixedLocator([*(tick for tick in axis.get_majorticklocs() if tick <= numbers), end])
    )
    axis.set_major_formatter(
        FuncFormatter(lambda value, place: "∞" if value == end else written(value, place))
    )
