"""How every picture looks: colours, marks, names of axes, heading and legend.

A layout draws its panels; this file does the rest. matplotlib is imported where something is drawn,
because it is slow to import and most pictures need not be drawn again.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.verdicts.wording import label

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

# names of types for all who draw, so that none of them imports matplotlib for its annotations
Axes: TypeAlias = "matplotlib.axes.Axes"
Figure: TypeAlias = "matplotlib.figure.Figure"
Keywords = dict[str, Any]  # arguments of a function of matplotlib

# The version of this file: raise it if equal numbers shall look different, and every picture is
# drawn again. If only one kind of picture changes, raise its `Picture.look` instead.
LOOK = 1
# Okabe and Ito 2008: eight colours that stay apart for colour-blind readers; yellow last, it is
# faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKERS = ("o", "s", "^", "D", "v", "X", "P", "h")
DASHES = ((0, (5, 2.5)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1, 1, 1, 1, 1)))
GREY, DARK = "#6e6e6e", "#333333"  # of texts, and of lines that every panel has
FAINT, PALE = "#cccccc", "#b5b5b5"  # of lines between groups, and of what has no explanation
RED = "#a4262c"  # of warnings; darker than that of a line, so that small letters can be read
TITLE_TEXT: Keywords = {"fontsize": 11.5, "fontweight": "bold"}
EXPLANATION_TEXT: Keywords = {"fontsize": 8.5, "color": GREY}
WARNING_TEXT: Keywords = {"fontsize": 8.5, "color": RED, "fontweight": "bold"}
AXIS_NAMES = {
    "epsilon": "privacy loss $\\varepsilon$",
    "delta": "failure probability $\\delta$",
    "train_size": "number of records $n$",
    "objective_share": "share of the budget for the objective, $\\varepsilon_f / \\varepsilon$",
}
MATPLOTLIB_STYLE: Keywords = {
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


@dataclass(frozen=True)
class Heading:
    """The texts above a figure: title, meaning of the marks, and warnings.

    Attributes:
        title: the first line, in bold.
        explanation: the meaning of the marks, without the full stop at its end.
        warnings: what must not be overlooked, such as "REPLICA: ...", in red.
    """

    title: str
    explanation: str
    warnings: tuple[str, ...] = ()


def compose(draw_panels: Callable[[Figure], None], heading: Heading) -> Figure:
    """A figure with the panels of `draw_panels`, the heading on top and one legend below."""
    from matplotlib.figure import Figure

    with in_style():
        figure = Figure(layout="constrained")
        draw_panels(figure)
        _add_legend(figure)
        # last, because the heading takes its room from the panels and the legend
        _add_heading(figure, heading)
        figure.draw_without_rendering()  # settles the layout while this style holds ...
        figure.set_layout_engine(None)  # ... once: with an engine, saving lays it out again
    return figure


def in_style() -> AbstractContextManager[None]:
    """A context in which matplotlib has the style of our pictures, for drawing and for saving."""
    import matplotlib

    return matplotlib.rc_context(MATPLOTLIB_STYLE)  # type: ignore[arg-type]


def look(k: int) -> Keywords:
    """The colour and the marker of the k-th line or class; both repeat after eight."""
    return {"color": COLOURS[k % 8], "marker": MARKERS[k % 8]}


def axis_name(name: str, spec: Spec) -> str:
    """The name of a parameter or score for an axis; a label in the spec takes precedence."""
    return spec.labels.get(name, AXIS_NAMES.get(name, label(name, spec)))


def dataset_name(dataset: str, spec: Spec) -> str:
    """The name of a data set for the title of a panel: its label, or its capitalised name."""
    return spec.labels.get(dataset, dataset.upper() if len(dataset) < 3 else dataset.capitalize())


def make_x_logarithmic(axes: Axes) -> None:
    """Makes the horizontal axis of a panel logarithmic, with a tick at every power of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    axes.xaxis.set_major_formatter(FuncFormatter(_power_of_ten))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _power_of_ten(value: float, _position: int) -> str:
    """The text of a logarithmic tick: a plain number from 0.01 to 1000, else a power of ten."""
    return f"{value:g}" if 0.009 < value < 1001 else f"$10^{{{round(np.log10(value))}}}$"


def _add_legend(figure: Figure) -> None:
    """Adds one legend for all panels below the panels."""
    panels = [axes.get_legend_handles_labels() for axes in figure.axes]
    found: Keywords = {}
    for handles, names in panels:
        found |= dict(zip(names, handles, strict=True))
    if found:
        inches = [0.55 + 0.075 * len(name) for name in found]  # of a line and its name
        # one row of names if it fits, otherwise columns as wide as the longest name
        fits = sum(inches) < figure.get_figwidth()
        columns = len(found) if fits else max(1, int(figure.get_figwidth() // max(inches)))
        figure.legend(
            found.values(), found.keys(), loc="outside lower center", ncols=columns, frameon=False
        )


def _add_heading(figure: Figure, heading: Heading) -> None:
    """Adds the heading above the panels: bold title, grey explanation, red warnings."""
    width, height = figure.get_size_inches()
    lines = [(text, 0.21, TITLE_TEXT) for text in textwrap.wrap(heading.title, int(width * 10))]
    lines += [
        (text, 0.17, EXPLANATION_TEXT)
        for text in textwrap.wrap(f"{heading.explanation}.", int(width * 16))
    ]
    for warning in heading.warnings:
        lines += [(text, 0.17, WARNING_TEXT) for text in textwrap.wrap(warning, int(width * 13.5))]
    depth = 0.08  # inches from the top
    for text, step, font in lines:
        figure.text(0.1 / width, 1 - depth / height, text, va="top", ha="left", **font)
        depth += step
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - (depth + 0.08) / height))  # type: ignore[union-attr, call-arg]
