"""Ours less published, one line a cell: difference.png and difference.pdf of an artefact with
compared cells.

The mark is our mean with its interval, at its distance from the published mean, whose own interval
lies around zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.layouts import Table
from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.figures import style, verdict_marks
from dpfair_cli.reporting.figures.pictures import write_picture_of_numbers
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.decision import Verdicts
from dpfair_cli.verdicts.differences import NUMBERS, signed_differences
from dpfair_cli.verdicts.levels import NEAR, RELATIVE_NEAR, WIDEST
from dpfair_cli.verdicts.wording import format_number, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "difference"
EXPLANATION = (
    "Marks: ours less published; their bars: two standard errors of our mean; grey bars: two of the published one, "
    "where the paper prints a deviation. "
    f"Shaded: ±{NEAR}, dashed: ±{WIDEST}"
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
    """Write the picture of an artefact, or nothing if no published cell was compared."""
    marks = place_marks(verdicts, spec)
    if not len(marks):
        return []
    limits = (
        f"; {RELATIVE}: ±{RELATIVE_NEAR} and ±{_unit(True) * WIDEST:g}"
        if marks["relative"].any()
        else ""
    )
    heading = Heading(f"{table.title}: ours less published", EXPLANATION + limits, tuple(notes))
    code = (__file__, verdict_marks.__file__)
    return write_picture_of_numbers(
        marks, partial(draw_panels, marks), heading, folder, NAME, *code
    )


def place_marks(verdicts: Verdicts, spec: Spec) -> pd.DataFrame:
    """One line for each compared cell, data sets in the order of the spec: what is drawn of it, and
    where.

    Columns: metric, panel (its name), relative (whether the score is no rate), cell (its short
    name), dataset, verdict, kind, and the NUMBERS in units of the score, or in parts of the
    published value.
    """
    cells = signed_differences(verdicts, spec)
    order = {part.name: k for k, part in reversed(list(enumerate(spec.datasets)))}
    cells = cells.sort_values("dataset", key=lambda names: names.map(order), kind="stable")
    relative = cells["metric"].isin(spec.task.study.unbounded)
    units = relative.map(_unit)
    named = cells.assign(
        panel=[style.axis_name(name, spec) for name in cells["metric"]], relative=relative
    )
    named = named.assign(
        cell=short_names(cells, spec), **{name: cells[name] * units for name in NUMBERS}
    )
    return named[
        ["metric", "panel", "relative", "cell", "dataset", "verdict", "kind", *NUMBERS]
    ].reset_index(drop=True)


def _unit(relative: bool) -> float:
    """What 0.02 is multiplied with in a panel: five for parts of the published value."""
    return RELATIVE_NEAR / NEAR if relative else 1.0


def short_names(cells: pd.DataFrame, spec: Spec) -> list[str]:
    """A name for each cell: the data set if there are several, the method, and parameters that tell
    cells apart.
    """
    place = cells.columns.get_loc("metric")
    keys = [str(name) for name in cells.columns[:place] if name not in ("dataset", "method")]
    groups = cells.groupby(["dataset", "published_method", "metric"], sort=False)
    varying = [key for key in keys if (groups[key].nunique(dropna=False) > 1).any()]
    several = cells["dataset"].nunique() > 1
    names = []
    for line in cells.to_dict("records"):
        dataset = [style.dataset_name(line["dataset"], spec)] if several else []
        parameters = [_parameter(key, line[key], spec) for key in varying if pd.notna(line[key])]
        names.append(", ".join([*dataset, label(line["published_method"], spec), *parameters]))
    return names


def _parameter(name: str, value: Any, spec: Spec) -> str:
    """A parameter with its value, such as "ε 0.1"; a word stands alone."""
    if isinstance(value, str):
        return label(value, spec)
    return f"{spec.labels.get(name, SYMBOLS.get(name, label(name, spec)))} {format_number(value)}"


def draw_panels(marks: pd.DataFrame, figure: Figure) -> None:
    """Add a panel for each score: side by side if all have the same cells, else below each other."""
    panels = [mine for _, mine in marks.groupby("metric", sort=False)]
    rows = [list(dict.fromkeys(mine["cell"])) for mine in panels]
    beside = all(names == rows[0] for names in rows)
    shape = (1, len(rows)) if beside else (len(rows), 1)
    heights = [len(rows[0])] if beside else list(map(len, rows))
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
    """The width of the picture in inches, with room for the longest name."""
    return max(7.5, PANEL_WIDTH * columns + NAME_WIDTH * max(map(len, marks["cell"])) + 0.3)


def _draw_panel(axes: Axes, marks: pd.DataFrame, names: Sequence[str]) -> None:
    """Draw one score: its limits, the published intervals around zero, and our marks."""
    relative = bool(marks["relative"].iloc[0])
    places = marks["cell"].map({name: k for k, name in enumerate(names)})
    verdict_marks.draw_limits(axes, "x", _unit(relative))
    noise = marks["published_noise"]
    axes.hlines(places, -noise, noise, color=style.GREY, alpha=0.45, linewidth=5.5, zorder=2)
    for one, mine in verdict_marks.by_look(marks):
        axes.errorbar(
            mine["difference"],
            places[mine.index],
            xerr=mine["our_noise"],
            zorder=3,
            **one.mark,
            **MARKS,
        )
    _separate_cells(axes, marks, places)


def _scale_panels(panels: Sequence[Axes], marks: pd.DataFrame) -> None:
    """Give the panels of one unit one scale, which fits all their marks, and say what it is."""
    relative = bool(marks["relative"].iloc[0])
    unit = _unit(relative)
    far = verdict_marks.is_far(float((marks["difference"].abs() + marks["our_noise"]).max()), unit)
    for axes in panels:
        if axes is not panels[0]:
            axes.sharex(panels[0])
        if far:
            verdict_marks.make_logarithmic(axes, "x", unit)
        verdict_marks.name_ticks(axes, "x")
        words = [RELATIVE * relative, f"logarithmic beyond ±{unit * WIDEST:g}" * far]
        axes.set_xlabel(",\n".join(["ours less published", *filter(None, words)]), fontsize=9)


def _separate_cells(axes: Axes, marks: pd.DataFrame, places: pd.Series[int]) -> None:
    """Put the first cell on top, and a line between data sets."""
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    first = places[marks["dataset"] != marks["dataset"].shift()]
    for place in first.iloc[1:]:
        axes.axhline(place - 0.5, color="#cccccc", linewidth=0.8, zorder=0)
