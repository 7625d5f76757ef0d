"""A user's own graph with classes: a file of edges, two nodes a line, and one of labels, a node and
its class a line.

Columns are separated by commas, tabs, semicolons or blanks; a first line of HEADINGS is left out.
Nodes are known by any text, so that numbers may have gaps. Direction is ignored; loops and repeated
edges are left out and counted. A node that stands in the file of labels alone has no edge, and the
vector 0. Every node needs a class: the file of labels makes nodes and classes public, edges between
them are private, and a line that names another node is refused.
"""

from __future__ import annotations

import warnings
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, LeftOutWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats.graph_profile import graph_profile
from dpfair_cli.formats.own_table import read_text
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.kinds.graphs import Graph

HEADINGS = {
    "source",
    "target",
    "from",
    "to",
    "src",
    "dst",
    "u",
    "v",
    "i",
    "j",
    "node",
    "id",
    "label",
    "class",
    "node1",
    "node2",
}


@checked
def load(folder: Path, *, file: str, labels: str) -> Graph:
    """The Graph of the edges in `file` with the classes in `labels`, paths as typed (`folder` is
    not used).

    Raises:
        DpfairError: a file is not there or not of its form, has weights, or a node has no class or
            two.
    """
    pairs, classes = read_pairs(file), read_pairs(labels)
    nodes = classes[:, 0].tolist()
    if len(set(nodes)) < len(nodes):
        twice = next(node for k, node in enumerate(nodes) if node in nodes[:k])
        raise DpfairError(f"{labels}: node {str(twice)!r} has two lines: a node has one class")
    missing = sorted(set(pairs.ravel()) - set(nodes))
    if missing:
        raise DpfairError(
            f"{labels}: no class for {len(missing)} of the nodes of {file}, such as {str(missing[0])!r}"
        )
    names = sorted(set(classes[:, 1]))
    codes = np.array([names.index(name) for name in classes[:, 1]], dtype=np.int64)
    return numbered(file, pairs, nodes, codes, tuple(names))


def profile(*, file: str, labels: str) -> TableProfile:
    """What a user should see of the graph before anything runs.

    Raises:
        DpfairError: as `load`.
    """
    return graph_profile(load(Path(), file=file, labels=labels))


def numbered(
    file: str, pairs: np.ndarray, nodes: list[str], labels: Ints, classes: tuple[str, ...]
) -> Graph:
    """The graph of the pairs of names in a file, its nodes in the order of `nodes`; warns of what
    is left out.
    """
    place = {name: k for k, name in enumerate(nodes)}
    ends = [[place[one], place[other]] for one, other in pairs]
    graph = Graph.from_pairs(ends, len(nodes), labels, classes)
    if graph.loops or graph.repeats:
        warnings.warn(
            f"{file}: {graph.loops} loops and {graph.repeats} repeated edges", LeftOutWarning, 3
        )
    return graph


def read_pairs(file: str) -> np.ndarray:
    """The lines of a file as two texts each, (m, 2); a first line of headings is left out.

    Raises:
        DpfairError: the file is not there, empty, or has not two columns.
    """
    text = StringIO(read_text(file))
    try:
        table = pd.read_csv(
            text, dtype=str, header=None, sep=r"[,\s;]+", engine="python", comment="#"
        )
    except ValueError as error:
        raise DpfairError(f"{file} is no list of pairs: {str(error).splitlines()[0]}") from error
    if table.shape[1] != 2:
        more = (
            "weights and dates of edges are not used, drop them"
            if table.shape[1] > 2
            else "a line has two names"
        )
        raise DpfairError(f"{file} has {table.shape[1]} columns, not 2: {more}")
    if table.isna().any().any():
        raise DpfairError(
            f"{file}: line {int(table.isna().any(axis=1).to_numpy().argmax()) + 1} has one node only"
        )
    pairs = table.to_numpy(dtype=str)
    pairs = pairs[1:] if _is_heading(pairs[0]) else pairs
    if not len(pairs):
        raise DpfairError(f"{file} has headings and nothing below them")
    return pairs


def _is_heading(line: np.ndarray) -> bool:
    """Whether both texts of a line are usual headings."""
    return all(name.lower() in HEADINGS for name in line)


DATASET = DataSource(
    load=load,
    note="your own graph with classes: file=PATH of edges, labels=PATH of node,class",
    task="vertex_classification",
    own_files=("file", "labels"),
    public_files=("labels",),
    profile=profile,
)
