"""Graphs side by side, each against the first: their edges as CSV, and the picture as PNG and PDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.layouts import Layout, Table, Vocabulary
from dpfair_cli.contracts.specs import Spec

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SEED = 0  # of the graphs that are drawn
OUTPUT = "graph"
COLUMNS = ["method", "from", "edge", "to", "is"]


@dataclass(frozen=True)
class GraphsLayout(Layout):
    """The graphs that the methods of `graphs` find on the one data set, side by side, each against the first.

    `values` are the scores that are compared with published cells, `also` stand beside them.
    """

    picture: ClassVar[str] = "figure.png"
    graphs: tuple[str, ...]
    values: tuple[str, ...]
    also: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """None: a graph is one point."""
        return ()

    @property
    def scores(self) -> tuple[str, ...]:
        """The compared scores and those beside them."""
        return (*self.values, *self.also)

    def check(self, known: Vocabulary) -> None:
        """Every score and method must be there, and the task must give a graph."""
        known.require("outputs", [OUTPUT])
        known.require("scores", self.scores)
        known.require("methods", self.graphs)

    def write(
        self, rows: pd.DataFrame, table: Table, spec: Spec, folder: Path, *, notes: Sequence[str] = ()
    ) -> list[Path]:
        """figure.png, figure.pdf and figure.csv."""
        from dpfair_cli.reporting.pictures import draw_if_changed, write_numbers
        from dpfair_cli.verdicts.wording import describe_seeds

        found = [graph_of(rows, method, spec) for method in self.graphs]
        edges, seeds = compared_edges(found, self.graphs), describe_seeds(rows)
        text = write_numbers(edges, folder)

        def draw() -> Figure:
            from dpfair_cli.reporting import graph_drawing

            words = f"The graphs of seed {SEED} of {seeds}"
            return graph_drawing.draw(edges, found[0]["variables"], spec, self.graphs, words, notes=notes)

        return [*draw_if_changed(draw, folder, text, spec, seeds, notes), folder / "figure.csv"]


def graph_of(rows: pd.DataFrame, method: str, spec: Spec) -> dict[str, Any]:
    """The graph that a method found with SEED, as the task's output has it.

    Raises:
        DpfairError: the method has not one run with this seed.
    """
    mine = rows[(rows["method"] == method) & (rows["seed"] == SEED)]
    if len(mine) != 1 or OUTPUT not in mine or not isinstance(mine.iloc[0][OUTPUT], dict):
        raise DpfairError(f"{spec.artefact}: there is not one graph of {method} with seed {SEED} to draw")
    found: dict[str, Any] = mine.iloc[0][OUTPUT]
    return found


def compared_edges(found: Sequence[dict[str, Any]], methods: Sequence[str]) -> pd.DataFrame:
    """One line an edge: method, from, edge (-> or -), to, and is: common, lost or added against the first method.

    A lost edge is one of the first method that the other does not have; it stands with the other.
    """
    import pandas as pd

    places = {name: k for k, name in enumerate(found[0]["variables"])}
    first, *others = (edges_by_pair(graph, places) for graph in found)
    lines = [(methods[0], *first[pair], "common") for pair in sorted(first)]
    for method, edges in zip(methods[1:], others, strict=True):
        for pair in sorted(first | edges):
            kind = "lost" if pair not in edges else "added" if pair not in first else "common"
            lines.append((method, *(first if kind == "lost" else edges)[pair], kind))
    return pd.DataFrame(lines, columns=COLUMNS)


def edges_by_pair(graph: dict[str, Any], places: dict[str, int]) -> dict[tuple[int, ...], tuple[str, str, str]]:
    """The edges (from, edge, to) of a graph by the places of their two ends in the order of the variables."""
    return {tuple(sorted((places[one], places[other]))): (one, edge, other) for one, edge, other in graph["edges"]}


LAYOUT = GraphsLayout
