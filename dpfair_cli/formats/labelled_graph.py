"""Declares data sets of published graphs in two files: links, and classes of the nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dpfair_cli.contracts.declarations import DataSource, File, Replica
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import block_model

REPLICA_NOTE = "drawn from a stochastic block model with as many nodes, edges and classes"
REPLICA_SEED, REPLICA_WITHIN = 0, 0.8  # share of links within a class, as in Cora and CiteSeer


def labelled_graph(
    title: str,
    links: File,
    classes: File,
    *,
    nodes: int,
    edges: int,
    loops: int,
    repeats: int,
    isolated: int,
    sizes: tuple[int, ...],
) -> DataSource:
    """The declaration of a graph in two files of integers, `node node` and `node class`.

    The files must have the given counts. `isolated` is the number of nodes without an edge, and
    `sizes` are the numbers of nodes in the classes. Loops and repeated edges are left out.
    """
    counts = {
        "nodes": nodes,
        "edges": edges,
        "loops": loops,
        "repeats": repeats,
        "isolated": isolated,
        "classes": sizes,
    }

    @checked
    def load(folder: Path) -> Graph:
        """The undirected Graph of the files below `folder`, without loops and repeated edges."""
        table = np.loadtxt(folder / classes.path, dtype=np.int64)
        labels = np.zeros(len(table), dtype=np.int64)
        labels[table[:, 0]] = table[:, 1]  # whatever the order of the lines is
        names = tuple(f"class{k}" for k in range(labels.max() + 1))
        return Graph.from_pairs(
            np.loadtxt(folder / links.path, dtype=np.int64), len(labels), labels, names
        )

    def load_replica(path: Path) -> Graph:
        rng = np.random.default_rng(REPLICA_SEED)  # the same replica at every call
        return block_model.block_model(sizes, edges, REPLICA_WITHIN, rng=rng)

    code = Path(block_model.__file__)  # the replica is identified by the code that makes it
    note = f"{title}, {nodes:,} nodes and {edges:,} edges; MIT (the repository that holds it)"
    return DataSource(
        load=load,
        note=note,
        task="vertex_classification",
        files=(links, classes),
        expected=counts,
        replica=Replica(path=lambda folder: code, load=load_replica, note=REPLICA_NOTE),
    )
