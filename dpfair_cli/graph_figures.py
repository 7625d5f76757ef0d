"""Rows with graphs -> figure files: the edges of each method as CSV, and the graphs side by side as PNG and PDF.

The graphs are those of seed 0; rows come from the task causal_graph, which has a score for each pair of variables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from dpfair_cli.contracts import DpfairError
from dpfair_cli.figures import drawn_from
from dpfair_cli.spec import GraphLayout, Spec
from dpfair_cli.summary import seeds

SEED = 0
PAIR = " | "
KINDS = {1: "->", 2: "<-", 3: "-"}
COLUMNS = ["method", "from", "edge", "to", "is"]


def edges(rows: pd.DataFrame, spec: Spec) -> pd.DataFrame:
    """One line an edge: method, from, edge (-> or -), to, and is: common, lost or added against the first method.

    A lost edge is one of the first method that the other does not have; it stands with the other.

    Raises:
        DpfairError: a method of the layout has no run with seed 0, or its task is not causal_graph.
    """
    first, *others = (_graph(rows, method, spec) for method in layout_of(spec).graphs)
    lines = [(*_words(first, pair), "common") for pair in first.index[first > 0]]
    for graph in others:
        for pair in graph.index[(graph > 0) | (first > 0)]:
            kind = "lost" if graph[pair] == 0 else "added" if first[pair] == 0 else "common"
            lines.append((*_words(first if kind == "lost" else graph, pair, str(graph.name)), kind))
    return pd.DataFrame(lines, columns=COLUMNS)


def layout_of(spec: Spec) -> GraphLayout:
    """The layout of a spec with graphs."""
    assert isinstance(spec.layout, GraphLayout), f"{spec.artefact} has no graphs"
    return spec.layout


def variables(rows: pd.DataFrame) -> list[str]:
    """The variables of the graphs, in their order."""
    pairs = [str(name).split(PAIR) for name in rows if PAIR in str(name)]
    return list(dict.fromkeys([pair[0] for pair in pairs] + [pair[1] for pair in pairs]))


def write(rows: pd.DataFrame, spec: Spec, folder: Path, *, notes: Sequence[str] = ()) -> list[Path]:
    """figure.png, figure.pdf and figure.csv in the folder; the same rows give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    csv, png, pdf = (folder / f"figure.{suffix}" for suffix in ("csv", "png", "pdf"))
    found = edges(rows, spec)
    text = found.to_csv(index=False, lineterminator="\n")
    csv.write_text(text, encoding="utf-8", newline="\n")
    names, runs = variables(rows), seeds(rows)
    made_from = digest(text, spec, names, runs, notes)
    if not (pdf.is_file() and drawn_from(png) == made_from):
        from dpfair_cli import drawing, graph_drawing

        words = f"The graphs of seed {SEED} of {runs}"
        drawing.save(graph_drawing.draw(found, names, spec, words, notes=notes), png, pdf, made_from)
    return [png, pdf, csv]


def digest(text: str, spec: Spec, names: list[str], runs: str, notes: Sequence[str]) -> str:
    """What a picture depends on: its edges, its words, how it is drawn and by which matplotlib."""
    words = (spec.source, spec.title, spec.layout, sorted(spec.labels.items()), names, runs, tuple(notes))
    files = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("drawing.py", "graph_drawing.py")]
    return hashlib.sha256(repr((text, words, files, version("matplotlib"))).encode()).hexdigest()[:16]


def _graph(rows: pd.DataFrame, method: str, spec: Spec) -> pd.Series:
    """What stands between each pair of variables in the graph of a method, 0 to 3 as in the task causal_graph."""
    mine = rows[(rows["method"] == method) & (rows["seed"] == SEED)]
    pairs = [str(name) for name in rows if PAIR in str(name)]
    if len(mine) != 1 or not pairs:
        raise DpfairError(f"{spec.artefact}: there is not one graph of {method} with seed {SEED} to draw")
    return mine.iloc[0][pairs].astype(int).rename(method)


def _words(graph: pd.Series, pair: str, method: str = "") -> tuple[str, str, str, str]:
    """(method, from, edge, to) of the edge between a pair, an arrow from its tail."""
    one, other = pair.split(PAIR)
    kind = KINDS[int(graph[pair])]
    method = method or str(graph.name)
    return (method, other, "->", one) if kind == "<-" else (method, one, kind, other)
