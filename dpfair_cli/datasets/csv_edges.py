"""A user's graph with classes: a file of edges (two nodes a line) and a file of labels.

A line of the file of labels has a node and the class of the node. The two columns of a file are
separated by commas, semicolons, tabs, bars or blanks. Entries can be in double quotes. A first line
is left out if both entries are in HEADINGS, or if its entries are texts above a column of numbers.
Lines at the beginning that start with "# " or "% " are left out too. The name of a node is any
text; an edge may also write a node that is a number in another way, such as 1.0 for 1. The
direction of an edge is ignored. Loops and repeated edges are left out, and a warning gives their
number. A node that is only in the file of labels has no edge, and its embedding is the zero vector.
The nodes and classes in the file of labels are public, and the edges are private. An edge to a node
without a class is an error.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, LeftOutWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.formats.profiles import TableProfile
from dpfair_cli.formats.questions import in_short
from dpfair_cli.formats.user_table import find_separator, read_text, split_rows
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.tabular.outside_values import as_levels, as_number, as_numbers

USUAL_NAMES = (
    "source target from to src dst u v i j node id label class node1 node2 node_1 node_2 nodeid "
    "fromnodeid tonodeid from_node to_node source_id target_id from_id to_id node_id name group"
)
HEADINGS = frozenset(USUAL_NAMES.split())
BOUNDS = {
    "public": "nodes and classes are public, as you declare; the edges are private",
    "data": "the nodes are read from the edges: nothing is private",
}
FEWEST_NODES = 2  # in a class: one to train and one to test
QUICK = {"epsilon": math.inf, "steps": 1}
_COMMENTS = re.compile(r"\A(?:\ufeff?[#%](?:[ \t].*)?\r?\n)+")  # as SNAP and KONECT write them


@checked
def load(folder: Path, *, file: str, labels: str) -> Graph:
    """The Graph with the edges in the file `file` and the classes of nodes in the file `labels`.

    `folder` is not used.

    Raises:
        DpfairError: a file is missing or malformed, edges have weights, or a node has no class or
            two classes.
    """
    pairs, classes = read_pairs(file), read_pairs(labels)  # both files have two columns
    nodes = classes[:, 0].tolist()
    if len(set(nodes)) < len(nodes):
        twice = next(node for k, node in enumerate(nodes) if node in nodes[:k])
        raise DpfairError(
            f"{labels}: the node {str(twice)!r} is on two lines, but every node must have "
            "one class: delete one of the lines"
        )
    cells = pairs.ravel().tolist()
    # a node may be written in two ways in the two files, such as 7 and 7.0
    known = as_levels(cells, nodes)
    missing = sorted({cell for cell, node in zip(cells, known, strict=True) if node is None})
    # unknown names in the first line alone are rather a heading than two nodes
    if missing == sorted(cells[:2]) and not {*missing} & {*cells[2:]}:
        raise DpfairError(
            f"{file}: the first line {', '.join(cells[:2])!r} looks like a heading, because "
            f"{labels} has no such nodes: delete this line"
        )
    if missing:
        raise DpfairError(
            f"{labels}: every node of {file} must have a class, but {len(missing)} nodes "
            f"have none, such as {str(missing[0])!r}: add a line for each of these nodes"
        )
    # sorted, so that the numbers of classes do not depend on the order of lines
    names = sorted(set(classes[:, 1]))
    codes = np.array([names.index(name) for name in classes[:, 1]], dtype=np.int64)  # few names
    ends = np.array(known, dtype=str).reshape(-1, 2)  # the names in the file of labels
    return numbered(file, ends, nodes, codes, tuple(names))


def profile(*, file: str, labels: str) -> TableProfile:
    """The profile of a user's graph with classes, printed before the runs.

    Raises:
        DpfairError: for the same reasons as in `load`.
    """
    return graph_profile(load(Path(), file=file, labels=labels))


def graph_profile(graph: Graph) -> TableProfile:
    """The profile of a user's graph.

    The graph that the profile makes up for trials has as many nodes and no edges.
    """
    counts = graph.counts()
    left_out = f"{counts['loops']:,} loops and {counts['repeats']:,} repeats left out"
    facts = {
        "edges": f"{counts['edges']:,}, without direction; {left_out}",
        "nodes": f"{counts['nodes']:,}, {counts['isolated']:,} of them without an edge",
        "classes": _classes(graph),
        "bounds": BOUNDS[graph.bounds],
    }
    empty = Graph(np.zeros((0, 2), dtype=np.int64), graph.nodes, bounds=graph.bounds)
    return TableProfile(facts, tuple(_questions(graph)), lambda rng: empty, QUICK)


def _classes(graph: Graph) -> str:
    """The number of nodes in each class."""
    if not graph.classes:
        return "none: links are to be predicted"
    sizes = graph.counts()["classes"]
    return in_short([f"{name} {size:,}" for name, size in zip(graph.classes, sizes, strict=True)])


def _questions(graph: Graph) -> Iterator[str]:
    """Yields questions about classes, nodes and edges of a graph that may have been misread."""
    counts = graph.counts()
    sizes = dict(zip(graph.classes, counts["classes"], strict=True))
    small = [name for name, size in sizes.items() if size < FEWEST_NODES]
    if len(sizes) > graph.nodes / FEWEST_NODES:
        found = f"{len(sizes)} classes of {graph.nodes} nodes"
        yield f"{found}: is the second column of the labels a class?"
    elif small:
        yield f"one node alone in {in_short(small)}: a class needs two nodes, to train and to test"
    if counts["isolated"] > graph.nodes / 2:
        found = f"{counts['isolated']:,} of {graph.nodes:,} nodes have no edge"
        yield f"{found}: do both files use the same names of nodes?"
    if counts["repeats"] > counts["edges"] / 2:
        found = f"{counts['repeats']:,} lines repeat an edge"
        yield f"{found}: does the file list both directions of an edge, or weights?"


def numbered(
    file: str, pairs: np.ndarray, nodes: list[str], labels: Ints, classes: tuple[str, ...]
) -> Graph:
    """The graph with edges between the pairs of node names, (m, 2), and nodes in the given order.

    Loops and repeated edges are left out, with a warning that names `file`.
    """
    place = {name: k for k, name in enumerate(nodes)}  # a list would be searched for every edge
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
    text = _COMMENTS.sub("", read_text(file))
    # two columns, even if more rows have three by another sign
    separator = find_separator(text, width=2)
    rows = list(split_rows(text, separator))
    if not rows:
        raise DpfairError(f"{file} is empty: add lines with two entries")
    widths = [len(row) for row in rows]
    # columns of weights on every line, not a line that is broken
    if min(widths) > 2:
        cure = "delete the columns of weights or dates of edges"
        raise DpfairError(f"{file} must have 2 columns, got {min(widths)}: {cure}")
    for place, row in enumerate(rows, start=1):
        if len(row) != 2 or not all(row):
            found = sum(map(bool, row))
            raise DpfairError(
                f"{file} must have two entries on each line, two nodes for an edge or a node and "
                f"its class, but line {place}, {separator.join(row)[:40]!r}, has {found}: correct "
                "or delete the line; put a name that has a separator in double quotes"
            )
    pairs = np.array(rows, dtype=str)
    if _is_heading(pairs):
        pairs = pairs[1:]
    if not len(pairs):
        raise DpfairError(
            f"{file} has only a line of headings: add lines with two entries below the headings"
        )
    return pairs


def _is_heading(pairs: np.ndarray) -> bool:
    """Whether the first line has usual headings, or texts above a column of numbers."""
    first, others = pairs[0].tolist(), pairs[1:]
    if all(name.lower() in HEADINGS for name in first):  # also above nodes that are texts
        return True
    if not len(others) or not all(math.isnan(as_number(name)) for name in first):
        return False
    numbers = [not np.isnan(as_numbers(column.tolist())).any() for column in others.T]
    return any(numbers) and not np.isin(others, first).any()


def named_nodes(*, file: str, labels: str) -> dict[str, Any]:
    """The names of the nodes in the order of the rows of an embedding, for a model file."""
    return {"nodes": read_pairs(labels)[:, 0].tolist()}


DATASET = DataSource(
    load=load,
    note="your own graph with classes: file=PATH of edges, labels=PATH of node,class",
    task="vertex_classification",
    own_files=("file", "labels"),
    public_files=("labels",),
    profile=profile,
    table=named_nodes,
    version=7,
)
