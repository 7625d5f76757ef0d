"""Many methods over a parameter: a small panel for each method and score.

Every panel of a score has the same axes, and with them the methods without the parameter as dashed
levels and the majority class as a dotted one: a method there may have learnt nothing. A point
at infinity has a tick of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import infinite_axis, panels, style
from dpfair_cli.reporting.figures.infinite_axis import (
    is_infinite,
    name_infinity,
    with_infinity_placed,
)
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.wording import describe_average, describe_seeds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4  # panels side by side
PANEL_SIZE = (2.7, 2.0)  # inches
TITLE_WIDTH = 30  # characters


@dataclass(frozen=True)
class FacetsLayout(PictureLayout):
    """A panel for each method and score of `panels`, over the parameter `x`, of one data set."""

    x: str
    panels: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameter on the horizontal axis."""
        return (self.x,)

    @property
    def scores(self) -> tuple[str, ...]:
        """The plotted scores and the GUARDS."""
        return tuple(dict.fromkeys([*self.panels, *panels.GUARDS]))

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores and an unknown parameter."""
        known.require("scores", self.panels)
        known.require("parameters", self.columns)

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The small panels of all methods."""
        points = panels.plotted_points(rows, spec)
        means = describe_average("Mean and one standard deviation", describe_seeds(rows))
        beyond = "; dotted: on to ∞" if is_infinite(points[self.x]).any() else ""
        heading = Heading(
            table.title, f"{means}; dashed: the same at every x{beyond}", tuple(notes)
        )
        return Picture(points, heading, partial(draw_facets, points, spec, self))


def draw_facets(points: pd.DataFrame, spec: Spec, layout: FacetsLayout, figure: Figure) -> None:
    """Adds the panels of each score as a block of rows, in the order of the methods."""
    points, end = with_infinity_placed(points, layout.x, log_x=True)
    groups = panels.points_by_method(points, spec)
    methods = [method for method, mine in groups.items() if mine[layout.x].notna().any()]
    blocks = -(-len(methods) // COLUMNS)
    rows = blocks * len(layout.panels)
    figure.set_size_inches(PANEL_SIZE[0] * COLUMNS, PANEL_SIZE[1] * rows + 1.4)
    grid = figure.subplots(rows, COLUMNS, squeeze=False, sharex=True)
    for row, score in enumerate(layout.panels):
        block = grid[row * blocks : (row + 1) * blocks]
        for axes, method in zip(block.flat, methods, strict=False):
            _draw_facet(axes, points, method, score, layout.x)
        for axes in block.flat[len(methods) :]:
            axes.set_visible(False)
        for line in block:
            line[0].set_ylabel(style.axis_name(score, spec))
        _share_heights([axes for axes in block.flat if axes.get_visible()])
    for column in grid.T:
        lowest = [axes for axes in column if axes.get_visible()][-1:]
        for axes in lowest:  # none, in a column without methods
            axes.set_xlabel(style.axis_name(layout.x, spec))
            axes.tick_params(labelbottom=True)
    if end < np.inf:
        name_infinity(grid[0, 0], float(points.loc[~points["beyond"], layout.x].max()), end)


def _draw_facet(axes: Axes, points: pd.DataFrame, method: str, score: str, x: str) -> None:
    """Draws the line of one method with its band, and the horizontal lines of other methods."""
    shown = points[(points["metric"] == score) & (points["runs"] > 0)]
    levels = shown[shown[x].isna()].drop_duplicates("method")
    lines = levels[["method", "mean", "std"]].fillna(0).itertuples(index=False)
    for place, (name, mean, deviation) in enumerate(lines):
        look = {
            "color": style.DARK,
            "linestyle": style.DASHES[place % 4],
            "linewidth": 1.2,
            "label": name,
        }
        panels.draw_level(axes, mean, deviation, **look)
    panels.draw_majority(axes, points, score)
    mine = shown[(shown["method"] == method) & shown[x].notna()].sort_values(x)
    panels.draw_band(axes, mine, x, style.COLOURS[0])
    infinite_axis.draw_line(
        axes, mine, x, color=style.COLOURS[0], marker=style.MARKERS[0], markersize=4.5
    )
    axes.set_title(textwrap.fill(method, TITLE_WIDTH), fontsize=8.5, color=style.DARK)
    style.make_x_logarithmic(axes)


def _share_heights(panels: Sequence[Axes]) -> None:
    """Gives all panels the same vertical range, so that heights can be compared."""
    limits = [axes.get_ylim() for axes in panels]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    for axes in panels:
        axes.set_ylim(max(low, -0.015), min(high, 1.015) if high <= 1.5 else high)


LAYOUT = FacetsLayout
