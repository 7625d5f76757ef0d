"""A user's graph with classes: a file of edges (two nodes a line) and a file of labels.

A line of the file of labels has a node and the class of the node. The two columns of a file are
separated by commas, tabs, semicolons or blanks. A first line is left out if both entries are in
HEADINGS. The name of a node is any text. The direction of an edge is ignored. Loops and repeated
edges are left out, and a warning gives their number. A node that is only in the file of labels has
no edge, and its embedding is the zero vector. The nodes and classes in the file of labels are
public, and the edges are private. An edge to a node without a class is an error.
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
from dpfair_cli.formats.table_profile import TableProfile
from dpfair_cli.formats.user_table import read_text
from dpfair_cli.kinds.graphs import Graph

USUAL_NAMES = "source target from to src dst u v i j node id label class node1 node2"
HEADINGS = frozenset(USUAL_NAMES.split())


@checked
def load(folder: Path, *, file: str, labels: str) -> Graph:
    """The Graph with the edges in the file `file` and the classes of nodes in the file `labels`.

    `folder` is not used.

    Raises:
        DpfairError: a file is missing or malformed, edges have weights, or a node has no class or
            two classes.
    """
    pairs, classes = read_pairs(file), read_pairs(labels)
    nodes = classes[:, 0].tolist()
    if len(set(nodes)) < len(nodes):
        twice = next(node for k, node in enumerate(nodes) if node in nodes[:k])
        raise DpfairError(
            f"{labels}: the node {str(twice)!r} is on two lines, but every node must have "
            "one class: delete one of the lines"
        )
    missing = sorted(set(pairs.ravel()) - set(nodes))
    if missing:
        raise DpfairError(
            f"{labels}: every node of {file} must have a class, but {len(missing)} nodes "
            f"have none, such as {str(missing[0])!r}: add a line for each of these nodes"
        )
    names = sorted(set(classes[:, 1]))
    codes = np.array([names.index(name) for name in classes[:, 1]], dtype=np.int64)
    return numbered(file, pairs, nodes, codes, tuple(names))


def profile(*, file: str, labels: str) -> TableProfile:
    """The profile of a user's graph with classes, printed before the runs.

    Raises:
        DpfairError: for the same reasons as in `load`.
    """
    return graph_profile(load(Path(), file=file, labels=labels))


def numbered(
    file: str, pairs: np.ndarray, nodes: list[str], labels: Ints, classes: tuple[str, ...]
) -> Graph:
    """The graph with edges between the pairs of node names, (m, 2), and nodes in the given order.

    Loops and repeated edges are left out, with a warning that names `file`.
    """
    place = {name: k for k, name in enumerate(nodes)}
    ends = [[place[one], place[other]] for one, other in pairs]
    graph = Graph.from_pairs(ends, len(nodes), labels, classes)
    if graph.loops or graph.repeats:
        warnings.warn(
            f"{file}: {graph.loops} loops and {graph.repeats} repeated edges were left out",
            LeftOutWarning,
            3,
        )
    return graph


def read_pairs(file: str) -> np.ndarray:
    """The two entries of each line of a file, (m, 2); a first line of headings is left out.

    Raises:
        DpfairError: the file is missing or empty, or does not have two columns.
    """
    text = StringIO(read_text(file))
    try:
        table = pd.read_csv(
            text, dtype=str, header=None, sep=r"[,\s;]+", engine="python", comment="#"
        )
    except ValueError as error:
        raise DpfairError(
            f"{file} must have two entries on each line, two nodes for an edge or a node and its "
            f"class: {str(error).splitlines()[0]}"
        ) from error
    columns = table.shape[1]
    if columns > 2:
        cure = "delete the columns of weights or dates of edges"
        raise DpfairError(f"{file} must have 2 columns, got {columns}: {cure}")
    if columns < 2:
        raise DpfairError(
            f"{file} must have 2 columns, two nodes for an edge or a node and its class, got "
            f"{columns}"
        )
    incomplete = table.isna().any(axis=1).to_numpy()
    if incomplete.any():
        raise DpfairError(
            f"{file}: every line must have two entries, but line "
            f"{int(incomplete.argmax()) + 1} has only one: complete or delete the line"
        )
    pairs = table.to_numpy(dtype=str)
    if all(name.lower() in HEADINGS for name in pairs[0]):
        pairs = pairs[1:]
    if not len(pairs):
        raise DpfairError(
            f"{file} has only a line of headings: add lines with two entries below the headings"
        )
    return pairs


DATASET = DataSource(
    load=load,
    note="your own graph with classes: file=PATH of edges, labels=PATH of node,class",
    task="vertex_classification",
    own_files=("file", "labels"),
    public_files=("labels",),
    profile=profile,
)
