"""The picture of the error rates: what becomes of right and of wrong published values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpfair_cli.addons.error_rates import rates
from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.simulation import OUR_RUNS, PLAIN_KINDS
from dpfair_cli.reporting import shown
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.cells.comparison import MARGIN, CellVerdict
from dpfair_cli.verdicts.whole_tables import ColumnVerdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "error-rates"
TITLE = "How often the rule is right: simulated papers of which the right answer is known"
EXPLANATION = (
    f"Each of our means is of {OUR_RUNS} runs. Top: cells that agree (reproduced or "
    "consistent) and cells that differ, by the planted difference of the expected means; shaded: "
    "the margin. The panels differ in the standard deviation over runs. Bottom left: the verdict "
    "on published values that are right or wrong in a known way, over all standard deviations. "
    "Bottom right: the verdict on all cells of one method and one score together, by the root mean "
    "square of their true differences in margins"
)
WIDTH, HEIGHT = 11.0, 8.2  # inches
DASHES = ((0, (1.5, 1.5)), (0, (5, 2.5)), "solid")  # of one, five and ten runs
AGREE, DIFFER = (
    shown.CELL_LOOKS[verdict].colour for verdict in (CellVerdict.REPRODUCED, CellVerdict.DIFFERS)
)
COLUMN_COLOURS = {
    str(ColumnVerdict.AGREES): AGREE,
    str(ColumnVerdict.UNDECIDED): shown.CELL_LOOKS[CellVerdict.UNDECIDED].colour,
    str(ColumnVerdict.DIFFERS): DIFFER,
}


def write(papers: Sequence[JudgedPaper], folder: Path) -> Path:
    """Writes error-rates.png into a folder; returns its path."""
    plain = [one for one in papers if one.kind in PLAIN_KINDS]
    curves, shares = rates.verdicts_by_difference(plain), rates.verdict_shares(plain)
    columns = rates.column_shares(papers)
    numbers = pd.concat([curves, shares, columns])
    draw = partial(_draw_panels, curves, shares, columns)
    return Picture(numbers, Heading(TITLE, EXPLANATION), draw).write(folder / f"{NAME}.png")


def _draw_panels(
    curves: pd.DataFrame, shares: pd.DataFrame, columns: pd.DataFrame, figure: Figure
) -> None:
    """Adds a panel for each spread, and the bars of verdicts on cells and on columns."""
    figure.set_size_inches(WIDTH, HEIGHT)
    top, bottom = figure.subfigures(2, 1, squeeze=False)[:, 0]
    spreads = [*curves.groupby("spread")]
    panels = top.subplots(1, len(spreads), sharey=True)
    for axes, (spread, mine) in zip(panels, spreads, strict=True):
        _draw_curves(axes, mine)
        _set_title(axes, f"standard deviation over runs: {spread:g}")
    panels[0].set_ylabel("share of cells", fontsize=9)
    for text, height, colour in (("agree", 0.5, AGREE), ("differ", 0.43, DIFFER)):
        panels[0].text(0.15, height, f"cells that {text}", color=colour, ha="right")
    of_cells, of_columns = bottom.subplots(1, 2, width_ratios=(1.4, 1))
    cell_colours = {str(one): shown.CELL_LOOKS[one].colour for one in rates.COMPARED}
    _draw_bars(of_cells, shares, cell_colours)
    _set_title(of_cells, "verdict on cells, by what is published")
    _draw_bars(of_columns, columns, COLUMN_COLOURS)
    _set_title(of_columns, "verdict on columns, by true distance")


def _set_title(axes: Axes, text: str) -> None:
    """Writes the title of a panel, small and at the left, as in the figures of papers."""
    axes.set_title(text, fontsize=10, color=style.DARK, loc="left")


def _draw_curves(axes: Axes, curves: pd.DataFrame) -> None:
    """Draws the shares of cells that agree and of cells that differ over the difference."""
    axes.axvspan(0, MARGIN, color=AGREE, alpha=0.13, linewidth=0, zorder=0)
    for dashes, (runs, mine) in zip(DASHES, curves.groupby("runs"), strict=True):
        for name, colour in (("agree", AGREE), ("differ", DIFFER)):
            axes.plot(
                mine["difference"], mine[name], color=colour, linestyle=dashes, marker="o", ms=4
            )
        plural = "" if runs == 1 else "s"
        label = f"published mean of {runs} run{plural}"
        axes.plot([], [], color=style.GREY, linestyle=dashes, label=label)
    axes.set_xlabel("planted difference", fontsize=9)
    axes.set_xlim(-0.004, curves["difference"].max() + 0.004)
    _show_percent(axes, "y")


def _draw_bars(axes: Axes, shares: pd.DataFrame, colours: Mapping[str, str]) -> None:
    """Draws the shares of the verdicts in each group, a line of `shares`, as stacked bars."""
    left = np.zeros(len(shares))
    places = np.arange(len(shares))[::-1]
    for verdict, colour in colours.items():
        width = shares[verdict].to_numpy()
        axes.barh(places, width, left=left, color=colour, height=0.75, label=verdict)
        left = left + width
    axes.set_yticks(places, [f" {name}" for name in shares.iloc[:, 0]], fontsize=9)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(f"share of {shares.columns[1]}", fontsize=9)
    _show_percent(axes, "x")


def _show_percent(axes: Axes, axis: str) -> None:
    """Gives an axis of shares the range from 0 to 100 %."""
    from matplotlib.ticker import PercentFormatter

    own = axes.xaxis if axis == "x" else axes.yaxis
    set_range = axes.set_xlim if axis == "x" else axes.set_ylim
    set_range(0, 1.02 if axis == "y" else 1)
    own.set_major_formatter(PercentFormatter(1))
