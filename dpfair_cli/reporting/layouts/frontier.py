"""Frontiers: the mean of one score over that of another, a line for each method.

A method without any of the parameters is one point. A short line says at each of its points what
its parameter is there, and has a bar of one standard deviation in both directions. The accuracy of
the majority class stands above: as a level it would press the lines together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import panels
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.wording import describe_average, describe_seeds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHORT = (
    8  # points at most of a line whose points are named and have bars: more would hide each other
)
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

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameters that vary along the lines."""
        return self.along

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of both axes and the GUARDS."""
        return tuple(dict.fromkeys([*self.panels, self.against, *panels.GUARDS]))

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores and unknown parameters."""
        known.require("scores", [*self.panels, self.against])
        known.require("parameters", self.along)

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The lines of all methods."""
        points = panels.plotted_points(rows, spec)
        means = describe_average("Mean", describe_seeds(rows)) + _describe_marks(
            points, self.panels
        )
        heading = Heading(table.title, means, tuple(notes))
        return Picture(points, heading, partial(_draw_panels, points, spec, self))


def _describe_marks(points: pd.DataFrame, scores: Sequence[str]) -> str:
    """The explanation of bars, numbers and the majority class's accuracy, for the heading."""
    short = any(_is_short(mine) for _, mine in points.groupby(["dataset", "method"]))
    majority = points.loc[points["metric"] == "majority_accuracy", "mean"]
    words = ["", *["bars: one standard deviation; numbers: the parameter along a line"] * short]
    if "accuracy" in scores and len(majority):
        words.append(f"the majority class has accuracy {majority.mean():.3f}")
    return "; ".join(words)


def _is_short(points: pd.DataFrame) -> bool:
    """Whether each method has few enough points to label every point and to draw its bars."""
    return bool(points["metric"].value_counts().max() <= SHORT)


def _draw_panels(points: pd.DataFrame, spec: Spec, layout: FrontierLayout, figure: Figure) -> None:
    """Add every panel to a figure."""
    draw = partial(_draw_panel, spec=spec, layout=layout)
    panels.draw_panels(points, spec, layout.panels, layout.against, draw, figure)


def _draw_panel(
    axes: Axes, points: pd.DataFrame, score: str, *, spec: Spec, layout: FrontierLayout
) -> None:
    """Draws one score of all methods on one data set."""
    from matplotlib.ticker import AutoMinorLocator

    looks = panels.method_looks(spec)
    for method, mine in panels.points_by_method(points, spec).items():
        _draw_line(axes, mine, score, layout, label=method, **looks[method])
    axes.xaxis.set_minor_locator(AutoMinorLocator())
    axes.margins(x=0.03, y=0.08)
    if panels.are_rates(points, score):
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, -0.015), min(high, 1.015))


def _draw_line(
    axes: Axes, points: pd.DataFrame, score: str, layout: FrontierLayout, **look: Any
) -> None:
    """Draws the line of a method along its parameters.

    Missing standard deviations, as of a single seed, count as 0.
    """
    known = points.fillna(dict.fromkeys([*layout.along, "std"], 0))
    wide = known.pivot_table(index=list(layout.along), columns="metric", values=["mean", "std"])
    x, y = wide["mean"][layout.against], wide["mean"][score]
    marks = (
        {"markersize": 5} if len(wide) <= MANY_POINTS else {"markersize": 3.5, "markeredgewidth": 0}
    )
    axes.plot(x, y, zorder=3, **look, **marks)
    if _is_short(points):
        bars = {"xerr": wide["std"][layout.against], "yerr": wide["std"][score]}
        axes.errorbar(x, y, **bars, fmt="none", ecolor=look["color"], elinewidth=0.8, alpha=0.5)
        _name_points(axes, x, y, layout, look["color"])


def _name_points(
    axes: Axes, x: pd.Series[float], y: pd.Series[float], layout: FrontierLayout, color: str
) -> None:
    """Writes the value of the varying parameter at each point of a line."""
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=2, foreground="white")  # over other lines
    look: dict[str, Any] = {"fontsize": 8, "color": color, "path_effects": [halo], "zorder": 4}
    for parameter in layout.along:
        values = x.index.get_level_values(parameter)
        names = [f"{value:g}" for value in values] if values.nunique() > 1 else []
        for name, at_x, at_y in zip(names, x, y, strict=False):
            axes.annotate(name, (at_x, at_y), NAME_PLACE, textcoords="offset points", **look)


LAYOUT = FrontierLayout
