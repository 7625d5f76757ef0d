"""Graphs side by side on one circle of names, each against the first.

What two graphs share is told from what one lost, added or turned around by colour and line style;
arrows point from cause to effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from dpfair_cli.contracts.specs import Spec, Table
from dpfair_cli.reporting.figures import style
from dpfair_cli.reporting.figures.pictures import SEED, PictureLayout, output_of_run
from dpfair_cli.reporting.figures.style import Axes, Figure, Keywords
from dpfair_cli.verdicts.wording import describe_seeds, label

COLUMNS = ["method", "from", "edge", "to", "is"]
EDGE_STYLES: dict[str, Keywords] = {
    "common": {"color": style.COLOURS[0], "linestyle": "-", "linewidth": 1.5},
    "turned": {"color": style.COLOURS[3], "linestyle": (0, (1.5, 1.2)), "linewidth": 2.0},
    "lost": {"color": style.COLOURS[1], "linestyle": (0, (4, 2.5)), "linewidth": 1.5},
    "added": {"color": style.COLOURS[2], "linestyle": (0, (7, 2, 1.5, 2)), "linewidth": 1.8},
}
PANEL_SIZE = (5.4, 4.3)  # inches
HALF_WIDTH, HALF_HEIGHT = 1.62, 1.25  # of a panel, in radii of the circle: names need room
BEND = 0.12  # of an edge towards the middle

Places = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class GraphsLayout(PictureLayout):
    """The graphs of the methods of `graphs` on one data set, each compared with the first.

    `values` are the scores that are compared with published cells, `also` stand next to them.
    """

    graphs: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...] = ()

    kinds: ClassVar = {"values": "scores", "also": "scores", "graphs": "methods"}
    output: ClassVar = "graph"

    def points(self, rows: pd.DataFrame, table: Table, spec: Spec) -> pd.DataFrame:
        """The edges of all graphs, each compared with the first graph."""
        return compare_edges(self._graphs(rows, spec), self.graphs)

    def _graphs(self, rows: pd.DataFrame, spec: Spec) -> list[dict[str, Any]]:
        """The graph of each method: its variables, and its edges (from, -> or -, to)."""
        return [output_of_run(rows, method, self.output, spec, "graph") for method in self.graphs]

    def explain(self, points: pd.DataFrame, rows: pd.DataFrame) -> str:
        """Which runs are drawn."""
        return f"The graphs of seed {SEED} of {describe_seeds(rows)}"

    def draw(self, figure: Figure, points: pd.DataFrame, rows: pd.DataFrame, spec: Spec) -> None:
        """Adds a panel for each method; a variable has the same position in all panels."""
        first = self.graphs[0]
        figure.set_size_inches(PANEL_SIZE[0] * len(self.graphs), PANEL_SIZE[1] + 1.1)
        edges = points[points["method"] == first]
        places = place_on_circle(edges, self._graphs(rows, spec)[0]["variables"])
        panels = figure.subplots(1, len(self.graphs), squeeze=False)[0]
        for axes, method in zip(panels, self.graphs, strict=True):
            mine = points[points["method"] == method]
            own = mark_changed(mine, points) if method == first else mine[mine["is"] != "lost"]
            _draw_graph(axes, own, places)
            title = f"{label(method, spec)}: {len(own)} edges"
            axes.set_title(title, fontsize=11, color=style.DARK)
        names = (
            "in both",
            "in both, with another direction",
            f"only in {first}",
            f"not in {first}",
        )
        for name, look in zip(names, EDGE_STYLES.values(), strict=True):
            panels[0].plot([], [], label=name, **look)  # for the legend


def compare_edges(found: Sequence[dict[str, Any]], methods: Sequence[str]) -> pd.DataFrame:
    """One line for each edge: method, from, edge (-> or -), to, and how it differs from the first.

    `is` is common, turned, lost or added.

    A turned edge is between the same two variables with another direction, or with one in one graph
    alone. A lost edge is one of the first method that the other does not have; it stands with the
    other.
    """
    places = {name: k for k, name in enumerate(found[0]["variables"])}
    first, *others = (_edges_by_pair(graph, places) for graph in found)
    lines = [(methods[0], *first[pair], "common") for pair in sorted(first)]
    for method, edges in zip(methods[1:], others, strict=True):
        for pair in sorted(first | edges):
            kind = _compare_edge(first.get(pair), edges.get(pair))
            lines.append((method, *(first if kind == "lost" else edges)[pair], kind))
    return pd.DataFrame(lines, columns=COLUMNS)


def _compare_edge(first: tuple[str, str, str] | None, other: tuple[str, str, str] | None) -> str:
    """The difference of the edge between two variables: common, turned, lost or added."""
    if first is None or other is None:
        return "lost" if other is None else "added"
    same = first == other or first[1] == other[1] == "-"
    return "common" if same else "turned"


def _edges_by_pair(
    graph: dict[str, Any], places: dict[str, int]
) -> dict[tuple[int, ...], tuple[str, str, str]]:
    """The edges (from, edge, to) of a graph, by the positions of both variables."""
    return {
        tuple(sorted((places[one], places[other]))): (one, edge, other)
        for one, edge, other in graph["edges"]
    }


def place_on_circle(edges: pd.DataFrame, variables: Sequence[str]) -> Places:
    """The position of each variable on the unit circle, near its neighbours in the graph."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    index, n = {name: k for k, name in enumerate(variables)}, len(variables)
    one, other = edges["from"].map(index).to_numpy(int), edges["to"].map(index).to_numpy(int)
    graph = csr_matrix(
        (np.ones(2 * len(edges)), (np.r_[one, other], np.r_[other, one])), shape=(n, n)
    )
    # neighbours of the graph stand near each other on the circle: fewer crossings
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    angles = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    return {
        variables[k]: (float(np.cos(a)), float(np.sin(a)))
        for k, a in zip(order, angles, strict=True)
    }


def mark_changed(first: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """The edges of the first graph, with marks on edges that another graph lacks or turns."""
    changed = edges[edges["is"].isin(["lost", "turned"])]
    kinds = {
        frozenset(pair): kind
        for *pair, kind in changed[["from", "to", "is"]].itertuples(index=False)
    }
    pairs = map(frozenset, zip(first["from"], first["to"], strict=True))
    return first.assign(**{"is": [kinds.get(pair, "common") for pair in pairs]})


def _draw_graph(axes: Axes, edges: pd.DataFrame, places: Places) -> None:
    """Draw one graph: its edges across the circle, its variables around it."""
    from matplotlib.patches import FancyArrowPatch

    for start, edge, end, kind in edges[["from", "edge", "to", "is"]].itertuples(index=False):
        look: Keywords = {"connectionstyle": _bend(places[start], places[end]), **EDGE_STYLES[kind]}
        head = "-|>" if edge == "->" else "-"
        shape: Keywords = {"arrowstyle": head, "mutation_scale": 11, "shrinkA": 7, "shrinkB": 7}
        axes.add_patch(FancyArrowPatch(places[start], places[end], **shape, **look))
    for name, (x, y) in places.items():
        axes.plot(x, y, "o", color=style.DARK, markersize=5)
        side, level = "center", "center"
        if abs(x) > 0.1:
            side = "left" if x > 0 else "right"
        if abs(y) > 0.9:
            level = "bottom" if y > 0 else "top"
        axes.text(1.09 * x, 1.09 * y, name, ha=side, va=level, fontsize=9)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_HEIGHT, HALF_HEIGHT), aspect="equal")
    axes.axis("off")


def _bend(start: tuple[float, float], end: tuple[float, float]) -> str:
    """The bend of an edge towards the centre, so that edges near the circle remain distinct."""
    (a, b), (c, d) = start, end
    outward = (a * d - b * c) > 0
    return f"arc3,rad={-BEND if outward else BEND}"


LAYOUT = GraphsLayout
