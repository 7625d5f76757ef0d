"""Panels of mean scores, one for each score and data set: their points, axes and shared looks.

A horizontal axis may have numbers with a place for infinity behind them, or words such as classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.means import summarise_scores

# draws the points of a data set and a score
DrawPanel = Callable[[Axes, pd.DataFrame, str], None]
# a rule that says the same to everybody is "fair": these scores let it be seen
GUARDS = ("majority_accuracy", "selection_rate")
PANEL_SIZE = (4.7, 3.3)  # inches
LEVEL_BAND, BAND = 0.07, 0.13  # opacity of a deviation around a level, and along a line
WORD = 0.6  # width of the methods at one word; the next word is at a distance of 1
OUTSIDE = 0.015  # a panel of rates ends this far outside [0, 1], so that marks there are whole


def plotted_points(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """A table with one line per point: data set, method, score, axes, mean, std, runs.

    An axis is empty for a method without the parameter.
    """
    points = summarise_scores(rows, spec)
    for axis in spec.layout.axes:
        # a value of a parameter that the method does not have would draw it as a point
        points = points.assign(**{axis: points[axis].mask(_is_level(points, spec, axis))})
    columns = ["dataset", "method", "metric", *spec.layout.axes]
    return points.drop_duplicates(columns)[[*columns, "mean", "std", "runs"]].reset_index(drop=True)


def _is_level(points: pd.DataFrame, spec: Spec, axis: str) -> pd.Series[bool]:
    """Whether each point belongs to a method without this parameter on its data set."""
    having = {
        (run.dataset.name, run.label)
        for run in spec.first_runs()
        if axis in (spec.curve, *run.dataset.options, *run.method.params)
    }
    pairs = zip(points["dataset"], points["method"], strict=True)
    return pd.Series([pair not in having for pair in pairs], index=points.index)


def draw_panels(
    figure: Figure,
    points: pd.DataFrame,
    spec: Spec,
    scores: Sequence[str],
    x: str,
    draw_panel: DrawPanel,
) -> None:
    """Adds all panels to a figure: names of data sets on top, the name of the axis below."""
    contents = _arrange(spec, scores)
    rows, columns = len(contents), len(contents[0])
    figure.set_size_inches(max(6.0, PANEL_SIZE[0] * columns), PANEL_SIZE[1] * rows + 1.4)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
    for axes, (score, dataset) in zip(panels.flat, chain(*contents), strict=True):
        draw_panel(axes, points[points["dataset"] == dataset], score)
        axes.set_ylabel(style.axis_name(score, spec))
    for axes, (_, dataset) in zip(panels[0], contents[0], strict=True):
        axes.set_title(style.dataset_name(dataset, spec), fontsize=10, color=style.DARK)
    for axes in panels[-1]:
        axes.set_xlabel(style.axis_name(x, spec))


def _arrange(spec: Spec, scores: Sequence[str]) -> list[list[tuple[str, str]]]:
    """The rows of panels as pairs (score, data set).

    With several data sets, a row has one score; with one data set, two or three scores.
    """
    datasets = dict.fromkeys(part.name for part in spec.datasets)  # one with several options is one
    if len(datasets) > 1:
        return [list(product([score], datasets)) for score in scores]
    panels = list(product(scores, datasets))
    width = max((width for width in (1, 2, 3) if len(panels) % width == 0), default=1)
    return [panels[k : k + width] for k in range(0, len(panels), width)]


def points_by_method(points: pd.DataFrame, spec: Spec) -> dict[str, pd.DataFrame]:
    """The points of each method that has runs, in the order of the spec."""
    drawn = points[points["runs"] > 0]
    found = {method: drawn[drawn["method"] == method] for method in spec.methods_by_label}
    return {method: mine for method, mine in found.items() if len(mine)}


def method_looks(spec: Spec) -> Mapping[str, Keywords]:
    """The colour and the marker of each method, equal in all panels."""
    # by the place in the spec, so that a method without runs leaves the looks of the others
    return {method: style.look(k) for k, method in enumerate(spec.methods_by_label)}


def limit_rates(axes: Axes, points: pd.DataFrame, score: str) -> None:
    """Ends a panel whose means are all in [0, 1] just outside [0, 1]."""
    means = points.loc[points["metric"] == score, "mean"].dropna()
    low, high = axes.get_ylim()
    if means.between(0, 1).all() and axes.get_yscale() == "log":
        axes.set_ylim(low, min(high, 1.5))  # 0 is not on a logarithmic axis
    elif means.between(0, 1).all():
        axes.set_ylim(max(low, -OUTSIDE), min(high, 1 + OUTSIDE))


def draw_band(axes: Axes, points: pd.DataFrame, x: str, color: str, *, log_y: bool = False) -> None:
    """Draws a band of one standard deviation around a line; on a log axis only positive parts."""
    spread = points["std"].fillna(0)
    low, high = points["mean"] - spread, points["mean"] + spread
    axes.fill_between(
        points[x], low, high, where=(low > 0) | (not log_y), color=color, alpha=BAND, linewidth=0
    )


def draw_majority(axes: Axes, points: pd.DataFrame, score: str) -> None:
    """Draws the accuracy of the majority class as a dotted line in a panel of accuracies."""
    majority = points.loc[points["metric"] == "majority_accuracy", "mean"]
    if score == "accuracy" and len(majority):
        look: Keywords = {"color": style.GREY, "linestyle": ":", "linewidth": 1.6, "zorder": 1}
        axes.axhline(majority.mean(), label="majority class", **look)


def draw_level(axes: Axes, mean: float, deviation: float, **look: Any) -> None:
    """Draws a mean that does not depend on x as a horizontal line, with its deviation."""
    axes.axhline(mean, zorder=2, **look)
    band: Keywords = {"color": look["color"], "alpha": LEVEL_BAND, "linewidth": 0, "zorder": 0}
    axes.axhspan(mean - deviation, mean + deviation, **band)


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
    # far enough that nobody takes infinity for the next number
    end = largest + (largest - float(finite.min())) / 5
    if log_x:
        end = 10 ** np.ceil(np.log10(largest) + 0.5)
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
        # from the last number on, so that the way is seen as one
        way = pd.concat([near.tail(1), far])
        axes.plot(way[x], way["mean"], linestyle=":", zorder=2, **look)


def name_infinity(axes: Axes, points: pd.DataFrame, x: str, end: float) -> None:
    """Ends the numeric ticks at the last point, and labels the position `end` of infinity.

    Without a point at infinity, where `end` is infinite, the ticks stay as they are.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter

    if end == np.inf:
        return
    axis, written = axes.xaxis, axes.xaxis.get_major_formatter()
    last = float(points.loc[~points["beyond"], x].max()) * (1 + 1e-9)  # ticks are rounded
    minor = [tick for tick in axis.get_minorticklocs() if tick <= last]
    major = [tick for tick in axis.get_majorticklocs() if tick <= last]

    def name(value: float, place: int) -> str:
        return "∞" if value == end else written(value, place)

    axis.set_minor_locator(FixedLocator(minor))
    axis.set_major_locator(FixedLocator([*major, end]))
    axis.set_major_formatter(FuncFormatter(name))


def with_words_placed(
    points: pd.DataFrame, x: str, methods: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The points with a number for each word, shifted slightly by method, and the words in order.

    If x has numbers, the points are returned unchanged and the list of words is empty.
    """
    words = [value for value in dict.fromkeys(points[x].dropna()) if isinstance(value, str)]
    if not words:
        return points, []
    step = WORD / max(1, len(methods) - 1) if len(methods) > 1 else 0.0
    shifts = {method: (k - (len(methods) - 1) / 2) * step for k, method in enumerate(methods)}
    places = points[x].map({word: k for k, word in enumerate(words)})
    return points.assign(**{x: places + points["method"].map(shifts)}), words


def name_words(axes: Axes, words: Sequence[str]) -> None:
    """Writes each word below its position, with lines between the positions."""
    axes.set_xticks(range(len(words)), words, rotation=45)
    axes.set_xticks([k + 0.5 for k in range(len(words) - 1)], minor=True)
    axes.grid(visible=False, axis="x", which="major")
    axes.grid(visible=True, axis="x", which="minor")
    axes.tick_params(axis="x", which="minor", length=0)
