"""Ours less published, one line a cell: difference.png of an artefact.

The bar of a mark is the 90 % interval of the difference. At the level of a single test, the means
are equivalent if the bar lies within the margin, and different if it lies outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain, compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting import looks
from dpfair_cli.reporting.figures import style, verdict_marks
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.reporting.figures.verdict_marks import LINEAR_END
from dpfair_cli.verdicts.cells.comparison import MARGIN, RELATIVE_MARGIN
from dpfair_cli.verdicts.cells.judged import JudgedCell
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.score.scoreboard import SignedDifference, signed_differences
from dpfair_cli.verdicts.wording import format_number, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "difference"
EXPLANATION = (
    "Marks: ours less published; bars: 90 % intervals of the difference, on which the rule relies "
    "(for many cells, at a stricter level). "
    f"Shaded: the margin, ±{MARGIN}"
)
RELATIVE = "in parts of the published value"
SYMBOLS = {"epsilon": "ε", "delta": "δ"}
ROW, ABOVE_AND_BELOW, PANEL_WIDTH, NAME_WIDTH = (
    0.21,
    0.85,
    4.2,
    0.075,
)  # inches; the last of a letter
MARKS: dict[str, Any] = {"markersize": 5.5, "markeredgewidth": 1.3, "elinewidth": 1.4, "capsize": 0}


def write(
    verdicts: Verdicts, spec: Spec, table: Table, folder: Path, *, notes: Sequence[str] = ()
) -> list[Path]:
    """Writes the figure of the differences of an artefact; no file without compared cells."""
    marks = tabulate_marks(verdicts, spec)
    if not len(marks):
        return []
    limits = f"; {RELATIVE}: ±{RELATIVE_MARGIN}" if marks["relative"].any() else ""
    heading = Heading(f"{table.title}: ours less published", EXPLANATION + limits, tuple(notes))
    picture = Picture(marks, heading, partial(draw_panels, marks))
    return [picture.write(folder / f"{NAME}.png")]


def tabulate_marks(verdicts: Verdicts, spec: Spec) -> pd.DataFrame:
    """A table with one line for each compared cell, data sets in the order of the spec.

    Columns: metric, panel (its name), relative (whether the score is not a rate), cell (its short
    name), dataset, look, and the numbers, which are in units of the score or relative to the
    published value.
    """
    order = [part.name for part in spec.datasets]
    found = signed_differences(verdicts)
    found.sort(key=lambda one: order.index(one.cell.published.dataset))
    names = short_names([one.cell for one in found], spec)
    return pd.DataFrame([_mark(one, name, spec) for one, name in zip(found, names, strict=True)])


def _mark(one: SignedDifference, name: str, spec: Spec) -> dict[str, Any]:
    """The line of a compared cell."""
    cell = one.cell
    relative = bool(cell.default and cell.default.comparison.relative)
    unit = _unit(relative)
    return {
        "metric": cell.published.metric,
        "panel": style.axis_name(cell.published.metric, spec),
        "relative": relative,
        "cell": name,
        "dataset": cell.published.dataset,
        "look": looks.look_of_cell(cell).name,
        "difference": one.difference * unit,
        "half_width": one.half_width * unit,
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
        dataset = [style.dataset_name(own.dataset, spec)] if several else []
        values = {key: cell.parameters[key] for key in varying if key in cell.parameters}
        parameters = [_parameter(key, value, spec) for key, value in values.items()]
        names.append(", ".join([*dataset, label(own.method, spec), *parameters]))
    return names


def _varying(cells: Sequence[JudgedCell], spec: Spec) -> list[str]:
    """The parameters with several values among the cells of a method, score and data set."""
    named = chain.from_iterable(cell.parameters for cell in cells)
    keys = dict.fromkeys([*spec.layout.axes, *named])
    found: dict[tuple[str, ...], set[Any]] = {}
    for cell in cells:
        own = cell.published
        for key in keys:
            place = (key, own.dataset, own.method, own.metric)
            found.setdefault(place, set()).add(cell.parameters.get(key))
    varying = {place[0] for place, values in found.items() if len(values) > 1}
    return [key for key in keys if key in varying]


def _parameter(name: str, value: Any, spec: Spec) -> str:
    """A parameter with its value, such as "ε 0.1"; of a textual parameter only the value."""
    if isinstance(value, str):
        return label(value, spec)
    return f"{spec.labels.get(name, SYMBOLS.get(name, label(name, spec)))} {format_number(value)}"


def draw_panels(marks: pd.DataFrame, figure: Figure) -> None:
    """Adds a panel for each score: side by side if all have equal cells, otherwise stacked."""
    panels = [mine for _, mine in marks.groupby("metric", sort=False)]
    rows = [list(dict.fromkeys(mine["cell"])) for mine in panels]
    in_a_row = all(names == rows[0] for names in rows)
    shape = (1, len(rows)) if in_a_row else (len(rows), 1)
    heights = [len(rows[0])] if in_a_row else list(map(len, rows))
    figure.set_size_inches(
        _width(shape[1], marks), ROW * sum(heights) + ABOVE_AND_BELOW * shape[0] + 1.2
    )
    grid = figure.subplots(*shape, squeeze=False, height_ratios=heights)
    for axes, mine, names in zip(grid.flat, panels, rows, strict=True):
        _draw_panel(axes, mine, names)
        axes.set_title(mine["panel"].iloc[0], fontsize=10, color=style.DARK)
        axes.set_yticks(
            range(len(names)), names if axes in grid[:, 0] else [""] * len(names), fontsize=8.5
        )
    for relative, mine in marks.groupby("relative"):
        shown = [panel["relative"].iloc[0] == relative for panel in panels]
        _scale_panels(list(compress(grid.flat, shown)), mine)
    verdict_marks.add_to_legend(
        grid[0, 0], "x", {one: one.name for one, _ in verdict_marks.by_look(marks)}, **MARKS
    )


def _width(columns: int, marks: pd.DataFrame) -> float:
    """The width of the figure in inches, with room for the longest name."""
    return max(7.5, PANEL_WIDTH * columns + NAME_WIDTH * max(map(len, marks["cell"])) + 0.3)


def _draw_panel(axes: Axes, marks: pd.DataFrame, names: Sequence[str]) -> None:
    """Draws one score: its limits, and the differences with their intervals."""
    relative = bool(marks["relative"].iloc[0])
    places = marks["cell"].map({name: k for k, name in enumerate(names)})
    verdict_marks.draw_limits(axes, "x", _unit(relative))
    for one, mine in verdict_marks.by_look(marks):
        axes.errorbar(
            mine["difference"],
            places[mine.index],
            xerr=mine["half_width"],
            zorder=3,
            **one.mark,
            **MARKS,
        )
    _separate_cells(axes, marks, places)


def _scale_panels(panels: Sequence[Axes], marks: pd.DataFrame) -> None:
    """Gives all panels of one unit a common scale that fits their marks, and labels it."""
    relative = bool(marks["relative"].iloc[0])
    unit = _unit(relative)
    ends = marks["difference"].abs() + marks["half_width"].fillna(0)
    far = verdict_marks.is_far(float(ends.max()), unit)
    for axes in panels:
        if axes is not panels[0]:
            axes.sharex(panels[0])
        if far:
            verdict_marks.make_logarithmic(axes, "x", unit)
        verdict_marks.name_ticks(axes, "x")
        words = [RELATIVE * relative, f"logarithmic beyond ±{unit * LINEAR_END:g}" * far]
        axes.set_xlabel(",\n".join(["ours less published", *filter(None, words)]), fontsize=9)


def _separate_cells(axes: Axes, marks: pd.DataFrame, places: pd.Series[int]) -> None:
    """Puts the first cell on top, and draws a line between data sets."""
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    first = places[marks["dataset"] != marks["dataset"].shift()]
    for place in first.iloc[1:]:
        axes.axhline(place - 0.5, color="#cccccc", linewidth=0.8, zorder=0)
