"""The profile of a user's graph, a file of edges, shown before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpfair_cli.formats.table_profile import TableProfile, in_short
from dpfair_cli.kinds.graphs import Graph

BOUNDS = {
    "public": "nodes and classes are public, as you declare; the edges are private",
    "data": "the nodes are read from the edges: nothing is private",
}
FEWEST_NODES = 2  # in a class: one to train and one to test
QUICK = {"epsilon": math.inf, "steps": 1}


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
