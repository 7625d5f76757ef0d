"""A causal graph with the edges of a path set marked: causes on the left, effects on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import PictureLayout
from dpfair_cli.reporting.figures.style import Figure, Keywords

COLUMNS = ["dataset", "from", "to", "marked"]
PANEL_SIZE = (9.5, 5.6)  # inches
LETTER, MARGIN = 0.038, 0.06  # inches from the middle of a name to its edge: a letter, and around
ARROW: Keywords = {"arrowstyle": "-|>", "mutation_scale": 12, "shrinkA": 0, "shrinkB": 0}
BOX = {"facecolor": "white", "edgecolor": style.DARK, "boxstyle": "round,pad=0.3", "linewidth": 0.8}
LOOKS: dict[bool, Keywords] = {
    True: {"color": style.COLOURS[0], "linewidth": 2.0, "zorder": 3},
    False: {"color": style.GREY, "linewidth": 0.8, "alpha": 0.6, "zorder": 2},
}


@dataclass(frozen=True)
class CausalPathsLayout(PictureLayout):
    """The graph that scored the runs of `method`, a panel for each data set, and a table."""

    method: str
    values: tuple[str, ...]

    kinds: ClassVar = {"values": "scores", "method": "methods"}
    output: ClassVar = "causal_graph"

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The edges of the graph of each data set, and whether each is marked.

        Raises:
            DpfairError: no run of the method is finished.
        """
        lines = []
        for name, graph in self._graphs(rows, spec).items():
            marked = graph["marked"]
            lines += [(name, edge[0], edge[2], edge in marked) for edge in graph["edges"]]
        return pd.DataFrame(lines, columns=COLUMNS)

    def _graphs(self, rows: pd.DataFrame, spec: Spec) -> dict[str, dict[str, Any]]:
        """The graph that scored the runs of the method, by data set."""
        found = rows[rows["method"] == self.method].drop_duplicates("dataset")
        if found.empty or self.output not in found:
            raise DpfairError(
                f"{spec.artefact}: the journal has no graph of {self.method} to draw: make "
                "the runs of the method first"
            )
        return dict(zip(found["dataset"], found[self.output], strict=True))

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """What arrows and colours mean."""
        paths = "on a path through an attribute that cannot be justified"
        return f"Arrows point from cause to effect; blue: {paths}"

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds a panel for each data set."""
        graphs = self._graphs(rows, spec)
        figure.set_size_inches(PANEL_SIZE[0], PANEL_SIZE[1] * len(graphs) + 0.8)
        panels = figure.subplots(len(graphs), 1, squeeze=False)[:, 0]
        for axes, (name, graph) in zip(panels, graphs.items(), strict=True):
            _draw_graph(axes, graph)
            title = f"{spec.labels.get(name, name)}: {len(graph['edges'])} edges"
            axes.set_title(title, fontsize=11, color=style.DARK)


def _draw_graph(axes: Any, graph: dict[str, Any]) -> None:
    """Draws one graph, with every variable to the right of its causes."""
    from matplotlib.patches import FancyArrowPatch

    edges = [(cause, effect) for cause, _, effect in graph["edges"]]
    places = place_in_columns(graph["variables"], edges)
    columns = np.array(list(places.values()))
    inch = (columns[:, 0].max() + 0.8) / PANEL_SIZE[0]  # in columns
    half = {name: inch * (LETTER * len(name) + MARGIN) for name in places}
    for edge in graph["edges"]:
        cause, _, effect = edge
        (a, b), (c, d) = places[cause], places[effect]
        # an arrow over several columns is bent, so that it does not run through their names
        look = LOOKS[edge in graph["marked"]] | ARROW
        look["connectionstyle"] = f"arc3,rad={0.0 if c - a == 1 else 0.14}"
        axes.add_patch(FancyArrowPatch((a + half[cause], b), (c - half[effect], d), **look))
    for name, (x, y) in places.items():
        axes.text(x, y, name, ha="center", va="center", fontsize=9, bbox=BOX, zorder=4)
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
    # as often as the longest path can have edges; the graph has no cycle
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
