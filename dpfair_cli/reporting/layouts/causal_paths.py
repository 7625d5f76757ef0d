"""A causal graph with the edges of a path set marked: causes on the left, effects on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec, Table, Vocabulary
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.picture_layout import PictureLayout
from dpfair_cli.reporting.figures.pictures import Picture
from dpfair_cli.reporting.figures.style import Heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OUTPUT = "causal_graph"
COLUMNS = ["dataset", "from", "to", "marked"]
PANEL_SIZE = (9.5, 5.6)  # inches
LETTER, MARGIN = (
    0.038,
    0.06,
)  # inches from the middle of a name to its edge: for a letter, and around all
LOOKS: dict[bool, dict[str, Any]] = {
    True: {"color": style.COLOURS[0], "linewidth": 2.0, "zorder": 3},
    False: {"color": style.GREY, "linewidth": 0.8, "alpha": 0.6, "zorder": 2},
}


@dataclass(frozen=True)
class CausalPathsLayout(PictureLayout):
    """The graph that scored the runs of `method`, a panel for each data set, and a table."""

    method: str
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Empty: the figure has one graph for each data set and no axis."""
        return ()

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores of the table."""
        return self.values

    def check(self, known: Vocabulary) -> None:
        """Refuses unknown scores, an unknown method, and a task that returns no graph."""
        known.require("outputs", [OUTPUT])
        known.require("scores", self.values)
        known.require("methods", [self.method])

    def draw(
        self, rows: pd.DataFrame, table: Table, spec: Spec, *, notes: Sequence[str] = ()
    ) -> Picture:
        """The graph of each data set."""
        found = rows[rows["method"] == self.method].drop_duplicates("dataset")
        if found.empty or OUTPUT not in found:
            raise DpfairError(
                f"{spec.artefact}: the journal has no graph of {self.method} to draw: make "
                "the runs of the method first"
            )
        graphs = dict(zip(found["dataset"], found[OUTPUT], strict=True))
        lines = chain.from_iterable(_lines(name, graph) for name, graph in graphs.items())
        edges = pd.DataFrame(list(lines), columns=COLUMNS)
        words = (
            "Arrows point from cause to effect; blue: on a path through an attribute that cannot "
            "be justified"
        )
        heading = Heading(table.title, words, tuple(notes))
        return Picture(edges, heading, partial(draw_panels, graphs, spec))


def _lines(dataset: str, graph: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """A table with one line for each edge."""
    return [
        (dataset, cause, effect, [cause, "->", effect] in graph["marked"])
        for cause, _, effect in graph["edges"]
    ]


def draw_panels(graphs: dict[str, dict[str, Any]], spec: Spec, figure: Figure) -> None:
    """Adds a panel for each data set to a figure."""
    figure.set_size_inches(PANEL_SIZE[0], PANEL_SIZE[1] * len(graphs) + 0.8)
    for axes, (name, graph) in zip(
        figure.subplots(len(graphs), 1, squeeze=False)[:, 0], graphs.items(), strict=True
    ):
        _draw_graph(axes, graph)
        axes.set_title(
            f"{spec.labels.get(name, name)}: {len(graph['edges'])} edges",
            fontsize=11,
            color=style.DARK,
        )


def _draw_graph(axes: Any, graph: dict[str, Any]) -> None:
    """Draws one graph, with every variable to the right of its causes."""
    from matplotlib.patches import FancyArrowPatch

    places = place_in_columns(
        graph["variables"], [(cause, effect) for cause, _, effect in graph["edges"]]
    )
    columns = np.array(list(places.values()))
    inch = (columns[:, 0].max() + 0.8) / PANEL_SIZE[0]  # in columns
    half = {name: inch * (LETTER * len(name) + MARGIN) for name in places}
    for cause, arrow, effect in graph["edges"]:
        marked = [cause, arrow, effect] in graph["marked"]
        bend = 0.0 if places[effect][0] - places[cause][0] == 1 else 0.14
        (a, b), (c, d) = places[cause], places[effect]
        start, end = (a + half[cause], b), (c - half[effect], d)
        axes.add_patch(
            FancyArrowPatch(
                start, end, arrowstyle="-|>", mutation_scale=12, shrinkA=0, shrinkB=0,
                connectionstyle=f"arc3,rad={bend}", **LOOKS[marked],
            )
        )  # fmt: skip
    for name, (x, y) in places.items():
        box = {
            "facecolor": "white",
            "edgecolor": style.DARK,
            "boxstyle": "round,pad=0.3",
            "linewidth": 0.8,
        }
        axes.text(x, y, name, ha="center", va="center", fontsize=9, bbox=box, zorder=4)
    axes.set(
        xlim=(-0.4, columns[:, 0].max() + 0.4),
        ylim=(columns[:, 1].min() - 0.6, columns[:, 1].max() + 0.6),
    )
    axes.axis("off")


def place_in_columns(
    variables: Sequence[str], edges: Sequence[tuple[str, str]]
) -> dict[str, tuple[float, float]]:
    """The position of each variable; its column is the length of the longest path to it."""
    depth = dict.fromkeys(variables, 0)
    for _ in variables:
        for cause, effect in edges:
            depth[effect] = max(depth[effect], depth[cause] + 1)
    found: dict[str, tuple[float, float]] = {}
    for column in range(max(depth.values()) + 1):
        mine = [name for name in variables if depth[name] == column]
        for k, name in enumerate(mine):
            shift = 0.35 * (column % 2)  # so that arrows over a column do not run through its names
            found[name] = (float(column), float((len(mine) - 1) / 2 - k) * 1.3 + shift)
    return found


LAYOUT = CausalPathsLayout
