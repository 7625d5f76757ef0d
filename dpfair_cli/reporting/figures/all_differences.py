"""Ours less published of all cells of a report, each number once: differences.png, by chapter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from dpfair_cli.reporting import looks
from dpfair_cli.reporting.figures import differences, style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.cells.comparison import MARGIN
from dpfair_cli.verdicts.score.scoreboard import OWN_DATA, Decided, distinct_differences

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "differences"  # of the file
EXPLANATION = (
    f"Each number once, sorted; {differences.BARS}; logarithmic beyond "
    f"±{differences.LINEAR_END}. "
    f"Of a score that is not a rate, {MARGIN} stands for a tenth of the published value"
)
WIDTH, HEIGHT = 11.0, 2.1  # inches of a panel
MARKS = differences.MARKS | {"markersize": 4, "markeredgewidth": 1, "elinewidth": 0.9}


def write(decided: Sequence[Decided], folder: Path, name: str = NAME) -> list[Path]:
    """Writes NAME.png with all compared cells of several artefacts, each number once, by chapter.

    Without compared cells there is no file.
    """
    lines = []
    for (part, data), signed in distinct_differences(decided).items():
        for one in signed:
            look = looks.look_of_cell(one.cell).name
            drawn = {"look": look, "difference": one.difference, "noise": one.half_width}
            lines.append({"part": part, "data": data, **drawn})
    if not lines:
        return []
    cells = pd.DataFrame(lines)
    heading = Heading(f"Ours less published: {len(cells)} published cells", EXPLANATION)
    return [Picture(cells, heading, partial(_draw_parts, cells)).write(folder / f"{name}.png")]


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
    for one, mine in differences.by_look(cells):
        words = f"{one.name}: {len(mine)}"
        grid[0].errorbar([], [], yerr=[], label=words, **one.mark, **MARKS)


def _draw_part(axes: Axes, cells: pd.DataFrame) -> None:
    """Draws the cells of one part from left to right."""
    places = pd.Series(range(len(cells)), index=cells.index)
    differences.draw_limits(axes, "y", 1)
    for one, mine in differences.by_look(cells):
        at, noise = places[mine.index], mine["noise"]
        axes.errorbar(at, mine["difference"], yerr=noise, **one.mark, **MARKS)
    differences.make_logarithmic(axes, "y", 1)
    differences.name_ticks(axes, "y")
    axes.set_xlim(-1, len(cells))
    axes.set_xticks([])
    axes.set_ylabel("ours less published", fontsize=9)
