"""Edges -> a picture: graphs side by side on one circle of names.

What two graphs share is told from what one lost or added by colour and line style; arrows point from cause to effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

from dpfair_cli.contracts.specs import Spec
from dpfair_cli.reporting.drawing import COLOURS, STYLE, title
from dpfair_cli.verdicts.wording import label

LOOKS: dict[str, tuple[str, Any, float]] = {  # colour, line style, width
    "common": (COLOURS[0], "-", 1.5),
    "lost": (COLOURS[1], (0, (4, 2.5)), 1.5),
    "added": (COLOURS[2], (0, (7, 2, 1.5, 2)), 1.8),
}
PANEL = (5.4, 4.3)  # inches
REACH = 1.62  # of a panel, in radii of the circle: names need room
BEND = 0.12  # of an edge towards the middle

Places = dict[str, tuple[float, float]]


def draw(
    edges: pd.DataFrame,
    names: list[str],
    spec: Spec,
    methods: Sequence[str],
    words: str,
    *,
    notes: Sequence[str] = (),
) -> Figure:
    """The graphs of `layouts/graphs.py`, one panel a method; `words` says which runs they are from."""
    places = around(edges[edges["method"] == methods[0]], names)
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        figure = Figure(figsize=(PANEL[0] * len(methods), PANEL[1] + 1.1), layout="constrained")
        panels = figure.subplots(1, len(methods), squeeze=False)[0]
        for axes, method in zip(panels, methods, strict=True):
            mine = edges[edges["method"] == method]
            shown = _with_lost(mine, edges) if method == methods[0] else mine[mine["is"] != "lost"]
            panel(axes, shown, places)
            axes.set_title(f"{label(method, spec)}: {len(shown)} edges", fontsize=11, color="#333333")
        legend(figure, methods[0])
        title(figure, spec, notes, words)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    return figure


def around(edges: pd.DataFrame, names: list[str]) -> Places:
    """A place on the unit circle for each name: neighbours in the first graph come to stand near each other."""
    index = {name: k for k, name in enumerate(names)}
    one, other = edges["from"].map(index).to_numpy(int), edges["to"].map(index).to_numpy(int)
    graph = csr_matrix((np.ones(2 * len(edges)), (np.r_[one, other], np.r_[other, one])), shape=(len(names),) * 2)
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    return {names[k]: (float(np.cos(a)), float(np.sin(a))) for k, a in zip(order, angles, strict=True)}


def panel(axes: Axes, edges: pd.DataFrame, places: Places) -> None:
    """One graph: its names around the circle, its edges across."""
    for start, edge, end, kind in edges[["from", "edge", "to", "is"]].itertuples(index=False):
        colour, dashes, width = LOOKS[kind]
        look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": width, "shrinkA": 7, "shrinkB": 7}
        style = "-|>" if edge == "->" else "-"
        arrow = FancyArrowPatch(
            places[start], places[end], arrowstyle=style, mutation_scale=11, connectionstyle=_bend(places, start, end),
            **look,
        )  # fmt: skip
        axes.add_patch(arrow)
    for name, (x, y) in places.items():
        axes.plot(x, y, "o", color="#333333", markersize=5)
        side = "left" if x > 0.1 else "right" if x < -0.1 else "center"
        level = "bottom" if y > 0.9 else "top" if y < -0.9 else "center"
        axes.text(1.09 * x, 1.09 * y, name, ha=side, va=level, fontsize=9)
    axes.set(xlim=(-REACH, REACH), ylim=(-1.25, 1.25), aspect="equal")
    axes.axis("off")


def legend(figure: Figure, first: str) -> None:
    """What the looks mean, below the panels."""
    words = {"common": "in both", "lost": f"only in {first}", "added": f"not in {first}"}
    lines = [
        Line2D([], [], color=colour, linestyle=dashes, linewidth=width, label=words[kind])
        for kind, (colour, dashes, width) in LOOKS.items()
    ]
    figure.legend(handles=lines, loc="outside lower center", ncols=len(lines), frameon=False)


def _with_lost(first: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """The first graph, with what another one lost marked where it is."""
    lost = edges[edges["is"] == "lost"]
    gone = set(zip(lost["from"], lost["to"], strict=True))
    pairs = zip(first["from"], first["to"], strict=True)
    return first.assign(**{"is": ["lost" if pair in gone else "common" for pair in pairs]})


def _bend(places: Places, start: str, end: str) -> str:
    """An arc that leans to the middle of the circle, so that edges along the rim can be told apart."""
    (a, b), (c, d) = places[start], places[end]
    outward = (a * d - b * c) > 0
    return f"arc3,rad={-BEND if outward else BEND}"
