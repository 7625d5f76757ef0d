"""Numbers -> a picture: mean lines with a band of one standard deviation, one panel per score and data set.

A method without the axis (no privacy has no epsilon) is a dashed level, the majority class a dotted one: whoever
reaches it may have learnt nothing.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import AutoMinorLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.wording import describe_average, heading, label

if TYPE_CHECKING:
    from dpfair_cli.reporting.layouts.lines import LinesLayout

# Okabe and Ito 2008: eight colours that stay apart for colour-blind readers; yellow last, it is faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "h")
DASHES = ((0, (5, 2.5)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY = "#6e6e6e"
BOLD: dict[str, Any] = {"fontsize": 11.5, "fontweight": "bold"}
PLAIN: dict[str, Any] = {"fontsize": 8.5, "color": GREY}
RED: dict[str, Any] = {"fontsize": 8.5, "color": "#a4262c", "fontweight": "bold"}
NAMES = {
    "epsilon": "privacy loss $\\varepsilon$",
    "delta": "failure probability $\\delta$",
    "train_size": "number of records $n$",
    "objective_share": "share of the budget for the objective, $\\varepsilon_f / \\varepsilon$",
}
CROWD = 30  # points, beyond which so many large marks hide the line
BAND_ROOM = 3  # times the highest line, for a band around it
PANEL = (4.7, 3.3)  # inches
STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.8,
    "lines.markersize": 6.5,
    "lines.markeredgewidth": 0.8,
    "lines.markeredgecolor": "white",
    "pdf.fonttype": 3,
    "svg.hashsalt": "dpfair",
}


def axis_name(name: str, spec: Spec) -> str:
    """An axis in words; the spec's label wins."""
    return spec.labels.get(name, NAMES.get(name, label(name, spec)))


def grid(spec: Spec, layout: LinesLayout) -> list[list[tuple[str, str]]]:
    """Panels as (score, data set): scores below each other, or two or three side by side for one data set."""
    datasets = dict.fromkeys(part.name for part in spec.datasets)  # one with several options is one
    panels = [[(score, name) for name in datasets] for score in layout.panels]
    if len(datasets) > 1:
        return panels
    beside = max((width for width in (1, 2, 3) if len(panels) % width == 0), default=1)
    return [[panel for row in panels[k : k + beside] for panel in row] for k in range(0, len(panels), beside)]


def draw(points: pd.DataFrame, spec: Spec, layout: LinesLayout, runs: str, *, notes: Sequence[str] = ()) -> Figure:
    """The picture of `layouts/lines.py`, one legend below all panels; `runs` says what stands behind a mean."""
    panels = grid(spec, layout)
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        width, height = max(6.0, PANEL[0] * len(panels[0])), PANEL[1] * len(panels) + 1.4
        figure = Figure(figsize=(width, height), layout="constrained")
        table = figure.subplots(len(panels), len(panels[0]), squeeze=False, sharex=True)
        for axes, (score, dataset) in zip(table.flat, [panel for row in panels for panel in row], strict=True):
            panel(axes, points[points["dataset"] == dataset], score, spec, layout)
        for axes, (_, dataset) in zip(table[0], panels[0], strict=True):
            axes.set_title(dataset_title(dataset, spec), fontsize=10, color="#333333")
        for axes in table[-1]:
            axes.set_xlabel(axis_name(layout.against or layout.x, spec))
        legend(figure, list(table.flat))
        levels = "; dashed: the same at every x" if points[layout.x].isna().any() else ""
        means = "Mean" if layout.against else "Mean and one standard deviation"
        title(figure, spec, notes, describe_average(means, runs) + levels)
        figure.draw_without_rendering()  # settles the layout while this style holds ...
        figure.set_layout_engine("none")  # ... once for every format
    return figure


def dataset_title(dataset: str, spec: Spec) -> str:
    """The data set over its panel."""
    return spec.labels.get(dataset, dataset.upper() if len(dataset) < 3 else dataset.capitalize())


def panel(axes: Axes, points: pd.DataFrame, score: str, spec: Spec, layout: LinesLayout) -> None:
    """One score on one data set, with what is drawn beside and around it."""
    methods = list(dict.fromkeys(part.method for part in spec.algorithms))
    for i, method in enumerate(methods):
        mine = points[points["method"] == method]
        look = {"colour": COLOURS[i % 8], "marker": MARKERS[i % 8]}
        if layout.against:
            frontier(axes, mine, (layout.x, layout.against, score), method, **look)
        else:
            line(axes, mine[mine["metric"] == score], layout.x, method, **look)
    majority = points.loc[points["metric"] == "majority_accuracy", "mean"]
    if score == "accuracy" and len(majority):
        axes.axhline(majority.mean(), color=GREY, linestyle=":", linewidth=1.6, label="majority class", zorder=1)
    for i, method in enumerate(methods):
        more(axes, points[points["method"] == method], score, spec, layout, place=i if len(methods) > 1 else -1)
    whole = all(isinstance(x, (int, float)) and float(x).is_integer() for x in points[layout.x].dropna())
    scale(axes, layout, score, whole=whole)
    if points.loc[points["metric"] == score, "mean"].dropna().between(0, 1).all():
        confine(axes, logarithmic=score in layout.log_y)
    if points[layout.x].map(lambda value: isinstance(value, str)).any():
        axes.minorticks_off()
        axes.tick_params(axis="x", rotation=45)
    axes.set_ylabel(axis_name(score, spec))


def more(axes: Axes, points: pd.DataFrame, score: str, spec: Spec, layout: LinesLayout, *, place: int) -> None:
    """The scores `beside` a method's line, dashed, and the band `around` two of them.

    They take the colour of the method at `place`, or one each where there is one method only (place -1).
    """
    means = points.pivot_table(index=layout.x, columns="metric", values="mean", sort=False).sort_index()
    prefix = f"{points['method'].iloc[0]}: " if place >= 0 and len(points) else ""
    everywhere = [name for names in layout.beside.values() for name in names]
    for other in layout.beside.get(score, ()):
        j = everywhere.index(other)  # a score looks the same in every panel
        colour = COLOURS[(place if place >= 0 else j + 1) % 8]
        dash = DASHES[(j + j // 8) % 4]  # colours begin again after eight
        axes.plot(means.index, means[other], color=colour, linestyle=dash, label=prefix + label(other, spec))
    if score in layout.around:
        centre, half = (means[name] for name in layout.around[score])
        name = f"{prefix}{label(layout.around[score][0], spec)} ± {label(layout.around[score][1], spec)}"
        high = axes.get_ylim()[1]
        axes.fill_between(means.index, centre - half, centre + half, color=GREY, alpha=0.16, linewidth=0, label=name)
        axes.set_ylim(0, BAND_ROOM * high)  # a band may be wider than anything: it does not set the scale


def line(axes: Axes, points: pd.DataFrame, x: str, method: str, *, colour: str, marker: str) -> None:
    """A method: a line with its band along x, or a dashed level without x."""
    level, points = points[points[x].isna()], points[points[x].notna()].sort_values(x)
    for mean in level["mean"]:
        axes.axhline(mean, color=colour, linestyle=(0, (5, 2.5)), label=method, zorder=2)
    if len(points):
        low, high = points["mean"] - points["std"].fillna(0), points["mean"] + points["std"].fillna(0)
        axes.fill_between(points[x], low, high, color=colour, alpha=0.13, linewidth=0)
        every = 1 + len(points) // CROWD
        axes.plot(points[x], points["mean"], color=colour, marker=marker, markevery=every, label=method, zorder=3)


def frontier(
    axes: Axes, points: pd.DataFrame, names: tuple[str, str, str], method: str, *, colour: str, marker: str
) -> None:
    """A method's mean `score` over its mean `against`, one point for each value of the parameter x: no band."""
    x, against, score = names
    wide = points.pivot_table(index=x, columns="metric", values="mean").sort_index()
    look: dict[str, Any] = {"markersize": 5} if len(wide) <= CROWD else {"markersize": 3.5, "markeredgewidth": 0}
    axes.plot(wide[against], wide[score], color=colour, marker=marker, label=method, zorder=3, **look)


def scale(axes: Axes, layout: LinesLayout, score: str, *, whole: bool) -> None:
    """Logarithmic or linear axes, with ticks a reader can name, at whole numbers where x has no others."""
    if layout.log_x and not layout.against:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(numticks=12))
        axes.xaxis.set_major_formatter(FuncFormatter(power))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_minor_locator(AutoMinorLocator())
        if whole:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.03, y=0.08)
    if score in layout.log_y:
        axes.set_yscale("log", nonpositive="clip")


def confine(axes: Axes, *, logarithmic: bool) -> None:
    """The panel of a rate ends a sliver beyond [0, 1], also if a band goes on."""
    low, high = axes.get_ylim()
    axes.set_ylim(*((low, min(high, 1.5)) if logarithmic else (max(low, -0.015), min(high, 1.015))))


def power(value: float, _position: int) -> str:
    """A tick of a logarithmic axis: plain between 0.01 and 1000, a power of ten outside."""
    return f"{value:g}" if 0.009 < value < 1001 else f"$10^{{{round(np.log10(value))}}}$"


def legend(figure: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels, below them, where it hides nothing."""
    found = {name: handle for axes in panels for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)}
    if found:
        inches = [0.55 + 0.075 * len(name) for name in found]  # of a line and its name
        fits = sum(inches) < figure.get_figwidth()
        columns = len(found) if fits else max(1, int(figure.get_figwidth() // max(inches)))
        figure.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns, frameon=False)


def title(figure: Figure, spec: Spec, notes: Sequence[str], runs: str) -> None:
    """At the top: source and title in bold, what the lines are in grey, every stand-in in red; panels stay clear."""
    wide = figure.get_figwidth()
    first = textwrap.wrap(heading(spec, notes), int(wide * 10))
    second = textwrap.wrap(f"{runs}.", int(wide * 16))
    third = [line for note in notes for line in textwrap.wrap(note, int(wide * 13.5))]
    lines = [(text, 0.21, BOLD) for text in first] + [(text, 0.17, PLAIN) for text in second]
    depth, high = 0.08, figure.get_figheight()
    for text, step, look in [*lines, *((text, 0.17, RED) for text in third)]:
        figure.text(0.1 / wide, 1 - depth / high, text, va="top", ha="left", **look)
        depth += step
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (depth + 0.08) / high))  # type: ignore[union-attr, call-arg]


def save(figure: Figure, png: Path, pdf: Path, made_from: str) -> None:
    """Both files, without dates; the PNG file carries what it was `made_from`."""
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure.savefig(png, dpi=160, metadata={"Software": None, "Description": made_from})
        figure.savefig(pdf, metadata={"CreationDate": None})
