"""Undirected graphs for network embedding: a record is an edge; nodes and classes are public."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds import fingerprint

NO_LABELS = np.zeros(0, dtype=np.int64)
SAMPLED_NODES = 20  # largest number of nodes of neighbours: one edge counts most in small graphs


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected graph with m edges.

    >>> graph = Graph.from_pairs([(1, 0), (1, 2), (0, 1), (2, 2)], nodes=3)
    >>> graph.edges.tolist()
    [[0, 1], [1, 2]]
    >>> graph.loops, graph.repeats
    (1, 1)
    """

    edges: Ints
    """Node numbers (m, 2) with i < j, in ascending order, without loops or repeated edges."""
    nodes: int  # the number of nodes, isolated nodes included
    labels: Ints = field(default_factory=lambda: NO_LABELS)
    """The class of each node, (nodes,), or (0,) without classes."""
    classes: tuple[str, ...] = ()  # the names of the classes; a label is an index of this tuple
    loops: int = 0  # the number of loops in the source, which were left out
    repeats: int = 0  # the number of repeated edges in the source, which were left out
    bounds: Literal["public", "data"] = "public"
    """The origin of nodes and classes, "public" facts or the "data"."""

    def __post_init__(self) -> None:
        if (
            self.edges.ndim != 2
            or self.edges.shape[1] != 2
            or not np.issubdtype(self.edges.dtype, np.integer)
        ):
            raise ValueError(
                f"edges must be an (m, 2) array of integer node numbers, got {self.edges.shape}"
            )
        if len(self.edges) and not 0 <= self.edges.min() <= self.edges.max() < self.nodes:
            raise ValueError(f"both nodes of every edge must be from 0 to {self.nodes - 1}")
        if (self.edges[:, 0] >= self.edges[:, 1]).any():
            raise ValueError(
                "every edge (i, j) must have i < j: build the graph with Graph.from_pairs"
            )
        # one number for each edge shows disorder and repetitions in one comparison
        if (np.diff(_codes(self.edges, self.nodes)) <= 0).any():
            raise ValueError(
                "the edges must be in ascending order without repetitions: build the graph "
                "with Graph.from_pairs"
            )
        known = set(self.labels) <= set(range(len(self.classes)))
        if len(self.labels) not in (0, self.nodes) or not known:
            raise ValueError(
                f"labels must be an array of {self.nodes} class numbers, one for each node, "
                f"from 0 to {len(self.classes) - 1}"
            )
        for array in (self.edges, self.labels):
            array.flags.writeable = False

    @classmethod
    def from_pairs(
        cls, pairs: Any, nodes: int, labels: Ints = NO_LABELS, classes: tuple[str, ...] = ()
    ) -> Graph:
        """The graph of the pairs of nodes (m, 2), without directions, loops and repeated pairs."""
        # with sorted ends, both directions of an edge are the same row
        ends = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
        proper = ends[ends[:, 0] < ends[:, 1]]
        edges = np.unique(proper, axis=0)
        return cls(edges, nodes, labels, classes, len(ends) - len(proper), len(proper) - len(edges))

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def degrees(self) -> Ints:
        """The number of edges of each node, (nodes,)."""
        return np.bincount(self.edges.ravel(), minlength=self.nodes)

    def take(self, rows: Ints) -> Graph:
        """The graph with all nodes and only the edges whose indices are `rows`."""
        return Graph(
            # unique: the edges of a graph are in ascending order
            self.edges[np.unique(rows)],
            self.nodes,
            self.labels,
            self.classes,
            bounds=self.bounds,
        )

    def without_labels(self) -> Graph:
        """The graph with the same edges and nodes, without the classes of the nodes."""
        return Graph(
            self.edges, self.nodes, loops=self.loops, repeats=self.repeats, bounds=self.bounds
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the two ends of an edge."""
        return ("source", "target")

    def counts(self) -> dict[str, Any]:
        """The numbers of nodes, edges, edges left out, isolated nodes, and nodes of each class."""
        return {
            "nodes": self.nodes,
            "edges": len(self),
            "loops": self.loops,
            "repeats": self.repeats,
            "isolated": int(np.count_nonzero(self.degrees == 0)),
            "classes": tuple(np.bincount(self.labels, minlength=len(self.classes)).tolist()),
        }

    def fingerprint(self) -> str:
        """The SHA-256 digest of the edges, the nodes and the classes of the graph."""
        return fingerprint((self.nodes, self.classes), self.edges, self.labels)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Graph, Graph]]:
        """`count` pairs of small graphs that differ in one edge, random and adversarial.

        The graphs are subgraphs of this graph, empty graphs, stars, cliques, paths, and pairs of
        paths that the edge joins.

        Raises:
            DpfairError: the relation of neighbours is not one edge.
        """
        if relation is not Neighbours.ONE_EDGE:
            raise DpfairError(
                "an audit on a graph needs a guarantee for neighbours that differ in one edge, but "
                f"the neighbours of this guarantee are: {relation}"
            )
        for k in range(count):
            left = [self._subgraph(rng), *_extremes(int(rng.integers(2, SAMPLED_NODES)))][k % 8]
            if k % 2:
                # the edge that may matter most in an extreme graph
                ends = [0, left.nodes - 1]
            else:
                ends = sorted(rng.choice(left.nodes, 2, replace=False).tolist())
            right = left._toggled(*ends)
            # the edge is added in some pairs and removed in others
            yield (left, right) if k % 3 else (right, left)

    def altered(
        self, other: Graph, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Graph, Graph]:
        """The graph and its neighbour `other`, after one random edge was added or removed.

        The edge is the same in both graphs.
        """
        ends = sorted(rng.choice(self.nodes, 2, replace=False).tolist())
        left, right = self._toggled(*ends), other._toggled(*ends)
        return (left, right) if len(self) != len(other) else (self, other)

    def differing_rows(self, other: Graph) -> Ints:
        """An empty array, because the rows of two graphs that differ by one edge do not match."""
        return np.zeros(0, dtype=np.int64)

    def _subgraph(self, rng: np.random.Generator) -> Graph:
        """A random part of the graph around an edge, or the graph itself if it is small.

        The result has no classes.
        """
        if self.nodes <= SAMPLED_NODES or not len(self):
            return Graph(self.edges, min(max(self.nodes, 2), SAMPLED_NODES))
        # around an edge, because random nodes of a sparse graph have hardly any edges
        ends = self.edges[rng.integers(len(self))]
        near = self.edges[np.isin(self.edges, ends).any(axis=1)]
        others = rng.permutation(np.unique(near))[: SAMPLED_NODES - 2]
        chosen = np.unique(np.concatenate([ends, others]))
        inside = self.edges[np.isin(self.edges, chosen).all(axis=1)]
        return Graph(np.searchsorted(chosen, inside), len(chosen))

    def _toggled(self, i: int, j: int) -> Graph:
        """The graph with the edge (i, j) added, or removed if the graph has this edge."""
        same = (self.edges == (i, j)).all(axis=1)
        changed = self.edges[~same] if same.any() else np.vstack([self.edges, [(i, j)]])
        return Graph.from_pairs(changed, self.nodes)


def _codes(edges: Ints, nodes: int) -> Ints:
    """One number for each of the edges (m, 2), ordered as the edges are.

    Different edges of a graph with `nodes` nodes have different numbers.
    """
    return np.asarray(edges[:, 0] * nodes + edges[:, 1])


def _extremes(nodes: int) -> list[Graph]:
    """Graphs with `nodes` nodes in which an edge from the first to the last node may matter most.

    An audit adds this edge, to find the largest effect that one edge can have.
    """
    line = [(k, k + 1) for k in range(nodes - 1)]
    pairs = {
        "empty": [],
        "star": [(0, k) for k in range(1, nodes)],
        "star whose centre is not the first": [(1, k) for k in range(nodes) if k != 1],
        "clique": list(combinations(range(nodes), 2)),
        "path": line,
        "two edges, then isolated nodes": [(0, 1), (nodes - 2, nodes - 1)] if nodes > 3 else [],
        "two paths": [edge for k, edge in enumerate(line) if k != nodes // 2],
    }
    return [Graph.from_pairs(edges, nodes) for edges in pairs.values()]
