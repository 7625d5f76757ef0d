"""Points of classes in the plane, a panel for each method: what an embedding keeps of the classes.

The places are an output of the task: for each class its points (x, y). One scale for all panels
would hide what is small, so that each has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import SEED, PictureLayout, output_of_run
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.wording import describe_seeds, label

PANEL_SIZE = 3.4  # inches
OUTSIDE = 0.005  # of the points at each end are left out of a panel: they would make it too small
ROOM = 0.1  # around the others


@dataclass(frozen=True)
class ScatterLayout(PictureLayout):
    """The positions that the `methods` give to points with classes, on one data set, side by side.

    `values` are the scores that the table shows next to the picture.
    """

    methods: tuple[str, ...]
    values: tuple[str, ...]

    kinds: ClassVar = {"values": "scores", "methods": "methods"}
    output: ClassVar = "places"

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The method, class and coordinates of each point of the run that is drawn.

        Raises:
            DpfairError: a method has not exactly one run with the seed SEED.
        """
        lines = []
        for method in self.methods:
            places = output_of_run(rows, method, self.output, spec, "run")
            for name, found in places.items():
                lines += [(method, name, x, y) for x, y in found]
        return pd.DataFrame(lines, columns=["method", "class", "x", "y"])

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """Which run is drawn."""
        return f"The run of seed {SEED} of {describe_seeds(rows)}"

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds a panel for each method; a class has the same look in all panels."""
        figure.set_size_inches(PANEL_SIZE * len(self.methods), PANEL_SIZE + 1.5)
        panels = figure.subplots(1, len(self.methods), squeeze=False)[0]
        for axes, method in zip(panels, self.methods, strict=True):
            _draw_points(axes, points[points["method"] == method])
            axes.set_title(label(method, spec), fontsize=11, color=style.DARK)


def _draw_points(axes: Axes, points: pd.DataFrame) -> None:
    """Draws the points of one method."""
    size: Keywords = {"linestyle": "none", "markersize": 4.5, "markeredgewidth": 0, "alpha": 0.7}
    for k, (name, mine) in enumerate(points.groupby("class", sort=True)):
        # colours repeat after eight classes, with other markers
        look = style.look(k) | {"marker": style.MARKERS[(k + k // 8) % 8]}
        axes.plot(mine["x"], mine["y"], label=str(name), **size, **look)
    # without the farthest points, which would press all others together
    inner = points[["x", "y"]].quantile([OUTSIDE, 1 - OUTSIDE]) * (1 + ROOM)
    axes.set(xticks=[], yticks=[], xlim=inner["x"], ylim=inner["y"])
    axes.grid(visible=False)


LAYOUT = ScatterLayout
