"""Points of classes in the plane, a panel for each method: what an embedding keeps of the classes.

The places are an output of the task: for each class its points (x, y). One scale for all panels
would hide what is small, so that each has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading
from dpfair_cli.verdicts.wording import describe_seeds, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SEED = 0  # of the run that is drawn
OUTPUT = "places"
PANEL_SIZE = 3.4  # inches
OUTSIDE = (
    0.005  # of the points at each end are left out of a panel, which they would make too small
)
ROOM = 0.1  # around the others


@dataclass(frozen=True)
class ScatterLayout(PictureLayout):
    """The positions that the `methods` give to points with classes, on one data set, side by side.

    `values` are the scores that the table shows next to the picture.
    """

    methods: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Empty: the figure has one panel for each method and no axis."""
        return ()

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of the table."""
        return self.values

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores, unknown methods, and a task that returns no coordinates."""
        known.require("outputs", [OUTPUT])
        known.require("scores", self.values)
        known.require("methods", self.methods)

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The points of all methods."""
        points = pd.concat(
            [_points(rows, method, spec) for method in self.methods], ignore_index=True
        )
        heading = Heading(
            table.title, f"The run of seed {SEED} of {describe_seeds(rows)}", tuple(notes)
        )
        return Picture(points, heading, partial(draw_panels, points, spec, self.methods))


def _points(rows: pd.DataFrame, method: str, spec: Spec) -> pd.DataFrame:
    """The method, class and coordinates of each point from the method's run with the seed SEED.

    Raises:
        DpfairError: the method has not one run with this seed.
    """
    mine = rows[(rows["method"] == method) & (rows["seed"] == SEED)]
    if len(mine) != 1 or OUTPUT not in mine or not isinstance(mine.iloc[0][OUTPUT], dict):
        raise DpfairError(
            f"{spec.artefact}: the journal must have exactly one run of {method} with seed "
            f"{SEED} to draw"
        )
    places: dict[str, Any] = mine.iloc[0][OUTPUT]
    lines = [(method, name, x, y) for name, points in places.items() for x, y in points]
    return pd.DataFrame(lines, columns=["method", "class", "x", "y"])


def draw_panels(points: pd.DataFrame, spec: Spec, methods: Sequence[str], figure: Figure) -> None:
    """Adds a panel for each method; a class has the same colour and marker in all panels."""
    figure.set_size_inches(PANEL_SIZE * len(methods), PANEL_SIZE + 1.5)
    panels = figure.subplots(1, len(methods), squeeze=False)[0]
    for axes, method in zip(panels, methods, strict=True):
        _draw_points(axes, points[points["method"] == method])
        axes.set_title(label(method, spec), fontsize=11, color=style.DARK)


def _draw_points(axes: Axes, points: pd.DataFrame) -> None:
    """Draw the points of one method."""
    for k, (name, mine) in enumerate(points.groupby("class", sort=True)):
        look: dict[str, Any] = {
            "color": style.COLOURS[k % 8],
            "marker": style.MARKERS[(k + k // 8) % 8],
        }
        axes.plot(
            mine["x"],
            mine["y"],
            linestyle="none",
            markersize=4.5,
            markeredgewidth=0,
            alpha=0.7,
            label=str(name),
            **look,
        )
    inner = points[["x", "y"]].quantile([OUTSIDE, 1 - OUTSIDE]) * (1 + ROOM)
    axes.set(xticks=[], yticks=[], xlim=inner["x"], ylim=inner["y"])
    axes.grid(visible=False)


LAYOUT = ScatterLayout
