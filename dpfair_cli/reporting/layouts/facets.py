"""Many methods over a parameter: a small panel for each method and score.

Every panel of a score has the same axes, and with them the methods without the parameter as dashed
levels and the majority class as a dotted one: a method there may have learnt nothing. A point
at infinity has a tick of its own.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import panels, style
from dpfair_cli.reporting.figures.panels import GUARDS
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.wording import describe_average, describe_seeds

COLUMNS = 4  # panels side by side
PANEL_SIZE = (2.7, 2.0)  # inches
TITLE_WIDTH = 30  # characters


@dataclass(frozen=True)
class FacetsLayout(PictureLayout):
    """A panel for each method and score of `panels`, over the parameter `x`, of one data set."""

    x: str
    panels: tuple[str, ...]

    kinds: ClassVar = {"panels": "scores", "x": "parameters"}
    guards: ClassVar = GUARDS

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The means of every method over `x`."""
        return panels.plotted_points(rows, spec)

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What lines and levels mean."""
        means = describe_average("Mean and one standard deviation", describe_seeds(rows))
        beyond = "; dotted: on to ∞" if panels.is_infinite(points[self.x]).any() else ""
        return f"{means}; dashed: the same at every x{beyond}"

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds the panels of each score as a block of rows, in the order of the methods."""
        points, end = panels.with_infinity_placed(points, self.x, log_x=True)
        groups = panels.points_by_method(points, spec)
        methods = [method for method, mine in groups.items() if mine[self.x].notna().any()]
        height = -(-len(methods) // COLUMNS)  # of a block, in panels
        number = height * len(self.panels)
        figure.set_size_inches(PANEL_SIZE[0] * COLUMNS, PANEL_SIZE[1] * number + 1.4)
        grid = figure.subplots(number, COLUMNS, squeeze=False, sharex=True)
        for row, score in enumerate(self.panels):
            block = grid[row * height : (row + 1) * height]
            for axes, method in zip(block.flat, methods, strict=False):
                self._draw_facet(axes, points, method, score)
            for axes in block.flat[len(methods) :]:
                axes.set_visible(False)
            for line in block:
                line[0].set_ylabel(style.axis_name(score, spec))
            _share_heights([axes for axes in block.flat if axes.get_visible()])
        for column in grid.T:
            lowest = [axes for axes in column if axes.get_visible()][-1:]
            for axes in lowest:  # none, in a column without methods
                axes.set_xlabel(style.axis_name(self.x, spec))
                axes.tick_params(labelbottom=True)
        panels.name_infinity(grid[0, 0], points, self.x, end)

    def _draw_facet(self, axes: Axes, points: pd.DataFrame, method: str, score: str) -> None:
        """Draws the line of one method with its band, and the levels of other methods."""
        shown = points[(points["metric"] == score) & (points["runs"] > 0)]
        levels = shown[shown[self.x].isna()].drop_duplicates("method")
        lines = levels[["method", "mean", "std"]].fillna(0).itertuples(index=False)
        for place, (name, mean, deviation) in enumerate(lines):
            look: Keywords = {"linestyle": style.DASHES[place % 4], "linewidth": 1.2}
            panels.draw_level(axes, mean, deviation, color=style.DARK, label=name, **look)
        panels.draw_majority(axes, points, score)
        mine = shown[(shown["method"] == method) & shown[self.x].notna()].sort_values(self.x)
        panels.draw_band(axes, mine, self.x, style.COLOURS[0])
        panels.draw_line(axes, mine, self.x, markersize=4.5, **style.look(0))
        axes.set_title(textwrap.fill(method, TITLE_WIDTH), fontsize=8.5, color=style.DARK)
        style.make_x_logarithmic(axes)


def _share_heights(facets: Sequence[Axes]) -> None:
    """Gives all panels the same vertical range, so that heights can be compared."""
    limits = [axes.get_ylim() for axes in facets]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    for axes in facets:
        axes.set_ylim(max(low, -0.015), min(high, 1.015) if high <= 1.5 else high)


LAYOUT = FacetsLayout
