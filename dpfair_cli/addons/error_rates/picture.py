"""The picture of the error rates: what becomes of right and of wrong published values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpfair_cli.addons.error_rates import rates
from dpfair_cli.addons.error_rates.judged_papers import JudgedPaper
from dpfair_cli.addons.error_rates.simulation import OUR_RUNS, PLAIN_KINDS, PaperKind
from dpfair_cli.reporting import shown
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.cells.comparison import MARGIN, CellVerdict

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
    "Bottom right: p-values of the joint tests; for right published values they should follow "
    "the diagonal"
)
WIDTH, HEIGHT = 11.0, 8.2  # inches
DASHES = ((0, (1.5, 1.5)), (0, (5, 2.5)), "solid")  # of one, five and ten runs
AGREE, DIFFER = (
    shown.CELL_LOOKS[verdict].colour for verdict in (CellVerdict.REPRODUCED, CellVerdict.DIFFERS)
)
KIND_COLOURS = {
    PaperKind.TRUE: style.COLOURS[2],
    PaperKind.NOISY: style.COLOURS[0],
    PaperKind.MIXED_UP: style.COLOURS[3],
    PaperKind.SHIFTED: style.COLOURS[1],
}
KIND_NAMES = {
    PaperKind.TRUE: "right",
    PaperKind.NOISY: "right, but runs vary much",
    PaperKind.MIXED_UP: "methods mixed up",
    PaperKind.SHIFTED: "half of the values shifted",
}


def write(papers: Sequence[JudgedPaper], folder: Path) -> Path:
    """Writes error-rates.png into a folder; returns its path."""
    plain = [one for one in papers if one.kind in PLAIN_KINDS]
    curves, shares = rates.verdicts_by_difference(plain), rates.verdict_shares(plain)
    p_values = {kind: np.sort(rates.p_values_of(plain, kind)) for kind in PLAIN_KINDS}
    tests = pd.DataFrame({str(kind): pd.Series(found) for kind, found in p_values.items()})
    numbers = pd.concat([curves, shares, tests])
    draw = partial(_draw_panels, curves, shares, tests)
    return Picture(numbers, Heading(TITLE, EXPLANATION), draw).write(folder / f"{NAME}.png")


def _draw_panels(
    curves: pd.DataFrame, shares: pd.DataFrame, tests: pd.DataFrame, figure: Figure
) -> None:
    """Adds a panel for each spread, the bars of verdicts, and the p-values."""
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
    verdicts, p_values = bottom.subplots(1, 2, width_ratios=(1.7, 1))
    _draw_bars(verdicts, shares)
    _draw_p_values(p_values, tests)


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


def _draw_bars(axes: Axes, shares: pd.DataFrame) -> None:
    """Draws the shares of the verdicts in each group of cells as stacked bars."""
    left = np.zeros(len(shares))
    places = np.arange(len(shares))[::-1]
    for verdict in rates.COMPARED:
        width = shares[str(verdict)].to_numpy()
        colour = shown.CELL_LOOKS[verdict].colour
        axes.barh(places, width, left=left, color=colour, height=0.75, label=str(verdict))
        left = left + width
    axes.set_yticks(places, [f" {name}" for name in shares["published value"]], fontsize=9)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("share of cells", fontsize=9)
    _set_title(axes, "verdict, by what is published")
    _show_percent(axes, "x")


def _draw_p_values(axes: Axes, tests: pd.DataFrame) -> None:
    """Draws the distribution function of the p-values of each kind of paper."""
    axes.plot([0, 1], [0, 1], color=style.DARK, linewidth=0.8, zorder=1)
    for kind in PLAIN_KINDS:
        found = tests[str(kind)].dropna().to_numpy()
        share = np.arange(1, len(found) + 1) / len(found)
        axes.plot(found, share, color=KIND_COLOURS[kind], linewidth=1.5)
        axes.text(
            0.97,
            0.05 + 0.09 * list(reversed(PLAIN_KINDS)).index(kind),
            KIND_NAMES[kind],
            color=KIND_COLOURS[kind],
            fontsize=9,
            ha="right",
        )
    axes.set_xlabel("p of a joint test", fontsize=9)
    axes.set_xlim(0, 1)
    axes.set_ylabel("share of tests with at most this p", fontsize=9)
    _set_title(axes, "joint tests, by what is published")
    _show_percent(axes, "y")


def _show_percent(axes: Axes, axis: str) -> None:
    """Gives an axis of shares the range from 0 to 100 %."""
    from matplotlib.ticker import PercentFormatter

    own = axes.xaxis if axis == "x" else axes.yaxis
    set_range = axes.set_xlim if axis == "x" else axes.set_ylim
    set_range(0, 1.02 if axis == "y" else 1)
    own.set_major_formatter(PercentFormatter(1))
