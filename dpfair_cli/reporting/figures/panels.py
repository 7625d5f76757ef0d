"""Panels of mean scores, one for each score and data set: their points and shared looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.figures import style
from dpfair_cli.verdicts.means import summarise_scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    DrawPanel = Callable[
        [Axes, pd.DataFrame, str], None
    ]  # with the points of a data set, and a score

GUARDS = (
    "majority_accuracy",
    "selection_rate",
)  # a rule that says the same to everybody is "fair": let it be seen
PANEL_SIZE = (4.7, 3.3)  # inches
LEVEL_BAND, BAND = 0.07, 0.13  # opacity of a deviation around a level, and along a line


def plotted_points(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """A table with one line per point: data set, method, score, axes, mean, std, runs.

    An axis is empty for a method without the parameter.
    """
    points = summarise_scores(rows, spec)
    for axis in spec.layout.axes:
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
    points: pd.DataFrame,
    spec: Spec,
    scores: Sequence[str],
    x: str,
    draw_panel: DrawPanel,
    figure: Figure,
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
    """The points of each method; a method without runs has a table without points."""
    drawn = points[points["runs"] > 0]
    return {
        method: mine
        for method in spec.methods_by_label
        if len(mine := drawn[drawn["method"] == method])
    }


def method_looks(spec: Spec) -> Mapping[str, dict[str, str]]:
    """The colour and the marker of each method, equal in all panels."""
    return {
        method: {"color": style.COLOURS[k % 8], "marker": style.MARKERS[k % 8]}
        for k, method in enumerate(spec.methods_by_label)
    }


def are_rates(points: pd.DataFrame, score: str) -> bool:
    """Whether all means of a score are in [0, 1], so that the panel ends just outside [0, 1]."""
    return bool(points.loc[points["metric"] == score, "mean"].dropna().between(0, 1).all())


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
        axes.axhline(
            majority.mean(),
            color=style.GREY,
            linestyle=":",
            linewidth=1.6,
            label="majority class",
            zorder=1,
        )


def draw_level(axes: Axes, mean: float, deviation: float, **look: Any) -> None:
    """Draws a mean that does not depend on x as a horizontal line, with its deviation."""
    axes.axhline(mean, zorder=2, **look)
    axes.axhspan(
        mean - deviation,
        mean + deviation,
        color=look["color"],
        alpha=LEVEL_BAND,
        linewidth=0,
        zorder=0,
    )
