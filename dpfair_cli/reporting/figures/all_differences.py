"""All compared cells, each number once: differences.png, by chapter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.reporting import looks
from dpfair_cli.reporting.figures import style, verdict_marks
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.reporting.figures.verdict_marks import LINEAR_END
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.score.scoreboard import OWN_DATA, Decided, distinct_differences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "differences"
EXPLANATION = (
    "Each number once, sorted; bars: 90 % intervals of the difference, on which the rule relies "
    "(for many cells, at a stricter level). "
    f"Shaded: the margin, ±{MARGIN}; logarithmic beyond ±{LINEAR_END}. "
    f"Of a score that is not a rate, {MARGIN} stands for a tenth of the published value"
)
WIDTH, PANEL_HEIGHT = 11.0, 2.1  # inches
MARKS: dict[str, Any] = {"markersize": 4, "markeredgewidth": 1, "elinewidth": 0.9, "capsize": 0}


def write(decided: Sequence[Decided], folder: Path, name: str = NAME) -> list[Path]:
    """Writes NAME.png with all compared cells; no file without compared cells."""
    cells = _tabulate(decided)
    if not len(cells):
        return []
    heading = Heading(f"Ours less published: {len(cells)} published cells", EXPLANATION)
    picture = Picture(cells, heading, partial(draw_panels, cells))
    return [picture.write(folder / f"{name}.png")]


def _tabulate(decided: Sequence[Decided]) -> pd.DataFrame:
    """A table with one line for each cell that is drawn."""
    lines = []
    for (part, data), differences in distinct_differences(decided).items():
        for one in differences:
            look = looks.look_of_cell(one.cell).name
            shown = {"look": look, "difference": one.difference, "noise": one.half_width}
            lines.append({"part": part, "data": data, **shown})
    return pd.DataFrame(lines)


def draw_panels(cells: pd.DataFrame, figure: Figure) -> None:
    """Adds one panel for each part and kind of data, stacked, each with its own scale."""
    panels = list(cells.groupby(["part", "data"], sort=False))
    figure.set_size_inches(WIDTH, PANEL_HEIGHT * len(panels) + 1.2)
    grid = figure.subplots(len(panels), 1, squeeze=False)
    for axes, ((part, data), mine) in zip(grid.flat, panels, strict=True):
        _draw_panel(axes, mine)
        standin = "" if data == OWN_DATA else f", on {data} of its data"
        axes.set_title(
            f"{part}{standin}: {len(mine)} cells", fontsize=10, color=style.DARK, loc="left"
        )
    grid[-1, 0].set_xlabel("cells, sorted by their difference")
    counts = {one: f"{one.name}: {len(mine)}" for one, mine in verdict_marks.by_look(cells)}
    verdict_marks.add_to_legend(grid[0, 0], "y", counts, **MARKS)


def _draw_panel(axes: Axes, cells: pd.DataFrame) -> None:
    """Draws the cells of one part from left to right."""
    places = pd.Series(range(len(cells)), index=cells.index)
    verdict_marks.draw_limits(axes, "y", 1)
    for one, mine in verdict_marks.by_look(cells):
        axes.errorbar(
            places[mine.index], mine["difference"], yerr=mine["noise"], **one.mark, **MARKS
        )
    verdict_marks.make_logarithmic(axes, "y", 1)
    verdict_marks.name_ticks(axes, "y")
    axes.set_xlim(-1, len(cells))
    axes.set_xticks([])
    axes.set_ylabel("ours less published", fontsize=9)
