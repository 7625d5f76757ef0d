"""Undirected graphs, for network embedding: a record is an edge; the nodes and their classes are
public.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.errors import DpfairError
from dpfair_cli.contracts.guarantees import Neighbours
from dpfair_cli.kinds.fingerprints import fingerprint

NO_LABELS = np.zeros(0, dtype=np.int64)
SAMPLED_NODES = 20  # at most, of a pair of neighbours: one edge counts most in small graphs


@dataclass(frozen=True, eq=False)
class Graph:
    """m edges between `nodes` nodes: `edges` (m, 2) with i < j in ascending order, each once, and
    no loops.

    `labels` (nodes,) are codes of `classes`, or there are none, (0,). `loops` and `repeats` say how
    many lines of the source were left out.
    """

    edges: Ints
    nodes: int
    labels: Ints = field(default_factory=lambda: NO_LABELS)
    classes: tuple[str, ...] = ()
    loops: int = 0
    repeats: int = 0
    bounds: Literal["public", "data"] = "public"

    def __post_init__(self) -> None:
        if (
            self.edges.ndim != 2
            or self.edges.shape[1] != 2
            or not np.issubdtype(self.edges.dtype, np.integer)
        ):
            raise ValueError(f"edges are (m, 2) numbers of nodes, got {self.edges.shape}")
        if len(self.edges) and not 0 <= self.edges.min() <= self.edges.max() < self.nodes:
            raise ValueError(f"an edge has an end outside 0 .. {self.nodes - 1}")
        if (self.edges[:, 0] >= self.edges[:, 1]).any():
            raise ValueError("an edge is (i, j) with i < j: see Graph.from_pairs")
        if (np.diff(_codes(self.edges, self.nodes)) <= 0).any():
            raise ValueError("edges are in ascending order, each once: see Graph.from_pairs")
        if len(self.labels) and (
            len(self.labels) != self.nodes or not set(self.labels) <= set(range(len(self.classes)))
        ):
            raise ValueError(
                f"labels are one of {len(self.classes)} classes for each of {self.nodes} nodes"
            )
        for array in (self.edges, self.labels):
            array.flags.writeable = False

    @classmethod
    def from_pairs(
        cls, pairs: Any, nodes: int, labels: Ints = NO_LABELS, classes: tuple[str, ...] = ()
    ) -> Graph:
        """The graph of (m, 2) pairs of nodes: their direction is ignored, loops and repeated pairs
        are left out.
        """
        ends = np.sort(np.asarray(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
        proper = ends[ends[:, 0] < ends[:, 1]]
        edges = np.unique(proper, axis=0)
        return cls(edges, nodes, labels, classes, len(ends) - len(proper), len(proper) - len(edges))

    def __len__(self) -> int:
        return len(self.edges)

    @property
    def degrees(self) -> Ints:
        """The number of edges at each node, (nodes,)."""
        return np.bincount(self.edges.ravel(), minlength=self.nodes)

    def take(self, rows: Ints) -> Graph:
        """The graph of the edges at `rows` (in ascending order, each once) between all nodes."""
        return Graph(
            self.edges[np.unique(rows)], self.nodes, self.labels, self.classes, bounds=self.bounds
        )

    def without_labels(self) -> Graph:
        """The same edges and nodes, without classes."""
        return Graph(
            self.edges, self.nodes, loops=self.loops, repeats=self.repeats, bounds=self.bounds
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The two ends of an edge."""
        return ("source", "target")

    def counts(self) -> dict[str, Any]:
        """Nodes, edges, what was left out of the source, nodes without an edge, and nodes of each
        class.
        """
        return {
            "nodes": self.nodes,
            "edges": len(self),
            "loops": self.loops,
            "repeats": self.repeats,
            "isolated": int(np.count_nonzero(self.degrees == 0)),
            "classes": tuple(np.bincount(self.labels, minlength=len(self.classes)).tolist()),
        }

    def fingerprint(self) -> str:
        """SHA-256 of the edges, the nodes and their classes."""
        return fingerprint((self.nodes, self.classes), self.edges, self.labels)

    def neighbours(
        self, relation: Neighbours, *, count: int, rng: np.random.Generator
    ) -> Iterator[tuple[Graph, Graph]]:
        """`count` pairs of small graphs that differ by one edge, added or removed, random and
        adversarial.

        They are subgraphs of this one, empty, stars, cliques, paths, and two paths that the edge
        joins.

        Raises:
            DpfairError: the guarantee is about other neighbours than one edge.
        """
        if relation is not Neighbours.ONE_EDGE:
            raise DpfairError(f"graphs are audited for one edge more or less, not for {relation}")
        for k in range(count):
            left = [self._subgraph(rng), *_extremes(int(rng.integers(2, SAMPLED_NODES)))][k % 8]
            ends = (
                (0, left.nodes - 1)
                if k % 2
                else tuple(sorted(rng.choice(left.nodes, 2, replace=False)))
            )
            right = left._toggled(*ends)
            yield (left, right) if k % 3 else (right, left)

    def altered(
        self, other: Graph, relation: Neighbours, *, rng: np.random.Generator
    ) -> tuple[Graph, Graph]:
        """Neighbours with another edge, or without one, on both sides."""
        ends = sorted(rng.choice(self.nodes, 2, replace=False).tolist())
        left, right = self._toggled(*ends), other._toggled(*ends)
        return (left, right) if len(self) != len(other) else (self, other)

    def differing_rows(self, other: Graph) -> Ints:
        """None: an edge more or less shifts the rows."""
        return np.zeros(0, dtype=np.int64)

    def _subgraph(self, rng: np.random.Generator) -> Graph:
        """The graph itself if it is small, else the edges among a few nodes: the ends of an edge
        and what is near.
        """
        if self.nodes <= SAMPLED_NODES or not len(self):
            return Graph(self.edges, min(max(self.nodes, 2), SAMPLED_NODES))
        ends = self.edges[rng.integers(len(self))]
        near = self.edges[np.isin(self.edges, ends).any(axis=1)]
        chosen = np.unique(
            np.concatenate([ends, rng.permutation(np.unique(near))[: SAMPLED_NODES - 2]])
        )
        inside = self.edges[np.isin(self.edges, chosen).all(axis=1)]
        return Graph(np.searchsorted(chosen, inside), len(chosen))

    def _toggled(self, i: int, j: int) -> Graph:
        """The graph with the edge (i, j) if it has none, and without it otherwise."""
        same = (self.edges == (i, j)).all(axis=1)
        changed = self.edges[~same] if same.any() else np.vstack([self.edges, [(i, j)]])
        return Graph.from_pairs(changed, self.nodes)


def _codes(edges: Ints, nodes: int) -> Ints:
    """One number an edge, in the order of edges."""
    return np.asarray(edges[:, 0] * nodes + edges[:, 1])


def _extremes(nodes: int) -> list[Graph]:
    """Graphs at which a sensitivity may be reached; their first and last node are the ends of what
    they join.
    """
    line = [(k, k + 1) for k in range(nodes - 1)]
    pairs = {
        "empty": [],
        "star": [(0, k) for k in range(1, nodes)],
        "star whose centre is not the first": [(1, k) for k in range(nodes) if k != 1],
        "clique": [(i, j) for i in range(nodes) for j in range(i)],
        "path": line,
        "two edges, then isolated nodes": [(0, 1), (nodes - 2, nodes - 1)] if nodes > 3 else [],
        "two paths": [edge for k, edge in enumerate(line) if k != nodes // 2],
    }
    return [Graph.from_pairs(edges, nodes) for edges in pairs.values()]
