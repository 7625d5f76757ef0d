"""Ours less published: difference.png of an artefact, and differences.png of a whole report.

In the first, a line is a cell; in the second, the cells of all artefacts stand from left to right,
each number once, in a panel for each chapter. The bar of a mark is the 90 % interval of the
difference. At the level of a single test, the means are equivalent if the bar lies within the
margin, and different if it lies outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, compress
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Axes, Figure, Heading, Keywords
from dpfair_cli.reporting.shown import LEGEND, Look, look_of_cell
from dpfair_cli.verdicts.cells.comparison import MARGIN, RELATIVE_MARGIN
from dpfair_cli.verdicts.cells.judging import JudgedCell
from dpfair_cli.verdicts.scoreboard import OWN_DATA, cells_by_difference
from dpfair_cli.verdicts.verdicts import Verdicts
from dpfair_cli.verdicts.wording import format_number, label

NAME, NAME_OF_ALL = "difference", "differences"  # of the files
LINEAR_END = 0.05  # of a logarithmic axis: up to here it is linear
LINEAR = 12  # times LINEAR_END: further differences hide the others on a linear axis
LINEAR_PART = 1.5  # of a logarithmic axis: the length up to LINEAR_END, in powers of ten
TICKS = (0.2, 1, 10, 100, 1000)  # of a logarithmic axis, beyond LINEAR_END
BARS = (
    "bars: 90 % intervals of the difference, on which the rule relies (for many cells, at a "
    "stricter level). "
    f"Shaded: the margin, ±{MARGIN}"
)
EXPLANATION = f"Marks: ours less published; {BARS}"
EXPLANATION_OF_ALL = (
    f"Each number once, sorted; {BARS}; logarithmic beyond ±{LINEAR_END}. "
    f"Of a score that is not a rate, {MARGIN} stands for a tenth of the published value"
)
RELATIVE = "in parts of the published value"
SYMBOLS = {"epsilon": "ε", "delta": "δ"}
ROW, PANEL_WIDTH = 0.21, 4.2  # inches of a cell and of a score
ACROSS = 3  # most panels side by side: more are too small on a screen
AROUND, LETTER = 0.85, 0.075  # inches above and below a panel, and of a letter of a name
MARKS: Keywords = {"markersize": 5.5, "markeredgewidth": 1.3, "elinewidth": 1.4, "capsize": 0}
WIDTH, HEIGHT = 11.0, 2.1  # inches of a panel of all differences
SMALL_MARKS = MARKS | {"markersize": 4, "markeredgewidth": 1, "elinewidth": 0.9}

Axis = Literal["x", "y"]  # along which the differences lie


def write(verdicts: Verdicts, title: str, folder: Path, *, notes: Sequence[str] = ()) -> list[Path]:
    """Writes difference.png of an artefact with a title; no file without compared cells."""
    marks = tabulate_marks(verdicts)
    if not len(marks):
        # one of cells that were compared before would show other verdicts
        (folder / f"{NAME}.png").unlink(missing_ok=True)
        return []
    limits = f"; {RELATIVE}: ±{RELATIVE_MARGIN}" if marks["relative"].any() else ""
    words = EXPLANATION + limits
    heading = Heading(f"{title}: ours less published", words, tuple(notes))
    rows = _cells_of_panels(marks)
    # only pictures with several rows of panels side by side have another look than the first one
    look = 2 if 1 < _count_across(rows) < len(rows) else 1
    picture = Picture(marks, heading, partial(_draw_scores, marks), look=look)
    return [picture.write(folder / f"{NAME}.png")]


def tabulate_marks(verdicts: Verdicts) -> pd.DataFrame:
    """A table with one line for each compared cell, data sets in the order of the spec.

    Columns: metric, panel (its name), relative (whether the score is not a rate), cell (its short
    name), dataset, look, and the numbers, which are in units of the score or relative to the
    published value.
    """
    spec = verdicts.spec
    order = [part.name for part in spec.datasets]
    # sorting is stable: within a data set cells keep the order of published.csv
    cells = sorted(verdicts.compared, key=lambda cell: order.index(cell.published.dataset))
    names = short_names(cells, spec)
    return pd.DataFrame([_mark(cell, name, spec) for cell, name in zip(cells, names, strict=True)])


def _mark(cell: JudgedCell, name: str, spec: Spec) -> dict[str, Any]:
    """The line of a compared cell."""
    compared, own = cell.variants[0].comparison, cell.published
    unit = _unit(compared.relative)
    return {
        "metric": own.metric,
        "panel": style.axis_name(own.metric, spec),
        "relative": compared.relative,
        "cell": name,
        "dataset": own.dataset,
        "look": look_of_cell(cell).name,
        "difference": compared.signed_scaled * unit,
        "half_width": compared.half_width_scaled * unit,
    }


def _unit(relative: bool) -> float:
    """The factor by which the tolerances of relative differences are larger than those of rates."""
    return RELATIVE_MARGIN / MARGIN if relative else 1.0


def short_names(cells: Sequence[JudgedCell], spec: Spec) -> list[str]:
    """A short name for each cell: data set, method, and the parameters that distinguish cells."""
    several = len({cell.published.dataset for cell in cells}) > 1
    varying = _varying(cells, spec)
    names = []
    for cell in cells:
        own = cell.published
        words = [style.dataset_name(own.dataset, spec)] if several else []
        given = [name for name in varying if name in cell.parameters]
        settings = [_parameter(name, cell.parameters[name], spec) for name in given]
        names.append(", ".join([*words, label(own.method, spec), *settings]))
    return names


def _varying(cells: Sequence[JudgedCell], spec: Spec) -> list[str]:
    """The parameters with several values among the cells of a method, score and data set."""
    named = chain.from_iterable(cell.parameters for cell in cells)
    keys = dict.fromkeys([*spec.layout.axes, *named])
    found: dict[tuple[str, ...], set[Any]] = {}
    for cell in cells:
        own = cell.published
        for key in keys:  # None, of a cell that lacks the parameter, counts as a value
            place = (key, own.dataset, own.method, own.metric)
            found.setdefault(place, set()).add(cell.parameters.get(key))
    varying = {place[0] for place, values in found.items() if len(values) > 1}
    return [key for key in keys if key in varying]


def _parameter(name: str, value: Any, spec: Spec) -> str:
    """A parameter with its value, such as "ε 0.1"; of a textual parameter only the value."""
    if isinstance(value, str):
        return label(value, spec)
    return f"{spec.labels.get(name, SYMBOLS.get(name, label(name, spec)))} {format_number(value)}"


def _cells_of_panels(marks: pd.DataFrame) -> list[list[str]]:
    """The names of the cells of each score, from above."""
    return [list(dict.fromkeys(mine["cell"])) for _, mine in marks.groupby("metric", sort=False)]


def _count_across(rows: Sequence[Sequence[str]]) -> int:
    """The number of panels side by side: up to ACROSS if all have equal cells, otherwise one."""
    return min(len(rows), ACROSS) if all(names == rows[0] for names in rows) else 1


def _draw_scores(marks: pd.DataFrame, figure: Figure) -> None:
    """Adds a panel for each score, side by side or stacked."""
    panels = [mine for _, mine in marks.groupby("metric", sort=False)]
    rows = _cells_of_panels(marks)
    across = _count_across(rows)
    down = math.ceil(len(rows) / across)
    heights = list(map(len, rows[:down]))
    # room for the longest name
    width = max(7.5, PANEL_WIDTH * across + LETTER * max(map(len, marks["cell"])) + 0.3)
    figure.set_size_inches(width, ROW * sum(heights) + AROUND * down + 1.2)
    grid = figure.subplots(down, across, squeeze=False, height_ratios=heights)
    for unused in grid.flat[len(rows) :]:
        unused.remove()
    for axes, mine, names in zip(grid.flat, panels, rows, strict=False):
        _draw_score(axes, mine, names)
        shown = names if axes in grid[:, 0] else [""] * len(names)
        axes.set_yticks(range(len(names)), shown, fontsize=8.5)
    for relative, mine in marks.groupby("relative"):
        shown = [panel["relative"].iloc[0] == relative for panel in panels]
        _scale_panels(list(compress(grid.flat, shown)), mine)
    for one, _ in by_look(marks):
        grid[0, 0].errorbar([], [], xerr=[], label=one.name, **one.mark, **MARKS)


def _draw_score(axes: Axes, marks: pd.DataFrame, names: Sequence[str]) -> None:
    """Draws one score: its limits, and the differences with their intervals, first on top."""
    places = marks["cell"].map({name: k for k, name in enumerate(names)})
    draw_limits(axes, "x", _unit(bool(marks["relative"].iloc[0])))
    for one, mine in by_look(marks):
        at, noise = places[mine.index], mine["half_width"]
        axes.errorbar(mine["difference"], at, xerr=noise, zorder=3, **one.mark, **MARKS)
    axes.set_title(marks["panel"].iloc[0], fontsize=10, color=style.DARK)
    # from the top down, as the table of the paper is read
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    first = places[marks["dataset"] != marks["dataset"].shift()]
    for place in first.iloc[1:]:
        axes.axhline(place - 0.5, color=style.FAINT, linewidth=0.8, zorder=0)


def _scale_panels(panels: Sequence[Axes], marks: pd.DataFrame) -> None:
    """Gives all panels of one unit a common scale that fits their marks, and labels it."""
    relative = bool(marks["relative"].iloc[0])
    unit = _unit(relative)
    ends = marks["difference"].abs() + marks["half_width"].fillna(0)
    is_far = float(ends.max()) > LINEAR * LINEAR_END * unit
    for axes in panels:
        # shared axes show at a glance which score is farther off
        if axes is not panels[0]:
            axes.sharex(panels[0])
        if is_far:
            make_logarithmic(axes, "x", unit)
        name_ticks(axes, "x")
        words = [RELATIVE * relative, f"logarithmic beyond ±{unit * LINEAR_END:g}" * is_far]
        axes.set_xlabel(",\n".join(["ours less published", *filter(None, words)]), fontsize=9)


def by_look(cells: pd.DataFrame) -> Iterator[tuple[Look, pd.DataFrame]]:
    """Yields each look that occurs with its cells, in the fixed order of the legend."""
    for look in LEGEND:
        mine = cells[cells["look"] == look.name]
        if len(mine):
            yield look, mine


def draw_limits(axes: Axes, axis: Axis, unit: float) -> None:
    """Draws the zero line and the band of differences that are smaller than the margin."""
    span, line = (axes.axvspan, axes.axvline) if axis == "x" else (axes.axhspan, axes.axhline)
    span(-MARGIN * unit, MARGIN * unit, color=style.COLOURS[2], alpha=0.13, linewidth=0, zorder=0)
    line(0, color=style.DARK, linewidth=0.8, zorder=1)


def make_logarithmic(axes: Axes, axis: Axis, unit: float) -> None:
    """Makes an axis of differences logarithmic beyond LINEAR_END, with ticks at the limits."""
    from matplotlib.ticker import FixedLocator, NullLocator

    scale = axes.set_xscale if axis == "x" else axes.set_yscale
    # a linear part around zero, which a logarithm does not have
    scale("symlog", linthresh=LINEAR_END * unit, linscale=LINEAR_PART)
    ticks = [MARGIN * unit, LINEAR_END * unit]
    ticks += [tick for tick in TICKS if tick > 2 * LINEAR_END * unit]
    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_locator(FixedLocator([*(-tick for tick in reversed(ticks)), 0, *ticks]))
    own.set_minor_locator(NullLocator())
    axes.autoscale_view()


def name_ticks(axes: Axes, axis: Axis) -> None:
    """Writes the numbers at an axis of differences with their signs."""
    from matplotlib.ticker import FuncFormatter

    def signed(value: float, _place: int) -> str:
        return f"{value:+.4g}" if value else "0"

    own = axes.xaxis if axis == "x" else axes.yaxis
    own.set_major_formatter(FuncFormatter(signed))


def write_all(artefacts: Sequence[Verdicts], folder: Path, name: str = NAME_OF_ALL) -> list[Path]:
    """Writes NAME.png with all compared cells of several artefacts, each number once, by chapter.

    Without compared cells there is no file.
    """
    lines = []
    for (part, data), cells in cells_by_difference(artefacts).items():
        for cell in cells:
            found = cell.variants[0].comparison
            numbers = {"difference": found.signed_scaled, "noise": found.half_width_scaled}
            lines.append({"part": part, "data": data, "look": look_of_cell(cell).name, **numbers})
    if not lines:
        return []
    every = pd.DataFrame(lines)
    heading = Heading(f"Ours less published: {len(every)} published cells", EXPLANATION_OF_ALL)
    return [Picture(every, heading, partial(_draw_parts, every)).write(folder / f"{name}.png")]


def _draw_parts(cells: pd.DataFrame, figure: Figure) -> None:
    """Adds one panel for each part and kind of data, stacked, each with its own scale."""
    panels = list(cells.groupby(["part", "data"], sort=False))
    figure.set_size_inches(WIDTH, HEIGHT * len(panels) + 1.2)
    grid = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
    for axes, ((part, data), mine) in zip(grid, panels, strict=True):
        _draw_part(axes, mine)
        standin = "" if data == OWN_DATA else f", on {data} of its data"
        title = f"{part}{standin}: {len(mine)} cells"
        axes.set_title(title, fontsize=10, color=style.DARK, loc="left")
    grid[-1].set_xlabel("cells, sorted by their difference")
    for one, mine in by_look(cells):
        words = f"{one.name}: {len(mine)}"
        grid[0].errorbar([], [], yerr=[], label=words, **one.mark, **SMALL_MARKS)


def _draw_part(axes: Axes, cells: pd.DataFrame) -> None:
    """Draws the cells of one part from left to right."""
    places = pd.Series(range(len(cells)), index=cells.index)
    draw_limits(axes, "y", 1)
    for one, mine in by_look(cells):
        at, noise = places[mine.index], mine["noise"]
        axes.errorbar(at, mine["difference"], yerr=noise, **one.mark, **SMALL_MARKS)
    make_logarithmic(axes, "y", 1)
    name_ticks(axes, "y")
    axes.set_xlim(-1, len(cells))
    axes.set_xticks([])
    axes.set_ylabel("ours less published", fontsize=9)
