"""Frontiers: the mean of one score over that of another, a line for each method.

A method without any of the parameters is one point. A short line says at each of its points what
its parameter is there, and has a bar of one standard deviation in both directions. The accuracy of
the majority class stands above: as a level it would press the lines together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import panels
from dpfair_cli.reporting.figures.panels import GUARDS
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.wording import describe_average, describe_seeds

# points at most of a line whose points are named and have bars: more would hide each other
SHORT = 8
MANY_POINTS = 30  # so many large marks hide the line
NAME_PLACE = (4, -10)  # from a point to its name


@dataclass(frozen=True)
class FrontierLayout(PictureLayout):
    """A panel for each score of `panels` and data set, over the score `against`.

    `along` are the parameters along a line.
    """

    along: tuple[str, ...]
    against: str
    panels: tuple[str, ...]

    kinds: ClassVar = {"panels": "scores", "against": "scores", "along": "parameters"}
    guards: ClassVar = GUARDS

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The means of all scores along the lines."""
        return panels.plotted_points(rows, spec)

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What bars and numbers mean, and the accuracy of the majority class."""
        words = [describe_average("Mean", describe_seeds(rows))]
        if any(_is_short(mine) for _, mine in points.groupby(["dataset", "method"])):
            words.append("bars: one standard deviation; numbers: the parameter along a line")
        majority = points.loc[points["metric"] == "majority_accuracy", "mean"]
        if "accuracy" in self.panels and len(majority):
            words.append(f"the majority class has accuracy {majority.mean():.3f}")
        return "; ".join(words)

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds every panel to a figure."""
        draw = partial(self._draw_panel, spec=spec)
        panels.draw_panels(figure, points, spec, self.panels, self.against, draw)

    def _draw_panel(self, axes: Axes, points: pd.DataFrame, score: str, *, spec: Spec) -> None:
        """Draws one score of all methods on one data set."""
        from matplotlib.ticker import AutoMinorLocator

        looks = panels.method_looks(spec)
        for method, mine in panels.points_by_method(points, spec).items():
            self._draw_line(axes, mine, score, label=method, **looks[method])
        axes.xaxis.set_minor_locator(AutoMinorLocator())
        axes.margins(x=0.03, y=0.08)
        panels.limit_rates(axes, points, score)

    def _draw_line(self, axes: Axes, points: pd.DataFrame, score: str, **look: Any) -> None:
        """Draws the line of a method along its parameters.

        Missing standard deviations, as of a single seed, count as 0.
        """
        # a group without a value of the parameter would fall out of the pivot table
        known = points.fillna(dict.fromkeys([*self.along, "std"], 0))
        wide = known.pivot_table(index=list(self.along), columns="metric", values=["mean", "std"])
        x, y = wide["mean"][self.against], wide["mean"][score]
        marks: Keywords = {"markersize": 5}
        if len(wide) > MANY_POINTS:
            marks = {"markersize": 3.5, "markeredgewidth": 0}
        axes.plot(x, y, zorder=3, **look, **marks)
        if _is_short(points):
            bars = {"xerr": wide["std"][self.against], "yerr": wide["std"][score]}
            axes.errorbar(x, y, **bars, fmt="none", ecolor=look["color"], elinewidth=0.8, alpha=0.5)
            self._name_points(axes, x, y, look["color"])

    def _name_points(
        self, axes: Axes, x: pd.Series[float], y: pd.Series[float], color: str
    ) -> None:
        """Writes the value of the varying parameter at each point of a line."""
        from matplotlib.patheffects import withStroke

        halo = withStroke(linewidth=2, foreground="white")  # over other lines
        look: Keywords = {"fontsize": 8, "color": color, "path_effects": [halo], "zorder": 4}
        for parameter in self.along:
            values = x.index.get_level_values(parameter)
            names = [f"{value:g}" for value in values] if values.nunique() > 1 else []
            for name, at_x, at_y in zip(names, x, y, strict=False):
                axes.annotate(name, (at_x, at_y), NAME_PLACE, textcoords="offset points", **look)


def _is_short(points: pd.DataFrame) -> bool:
    """Whether each method has few enough points to label every point and to draw its bars."""
    return bool(points["metric"].value_counts().max() <= SHORT)


LAYOUT = FrontierLayout
