"""The stochastic block model: random graphs with more edges within classes than between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.graphs import Graph


def block_model(
    sizes: Sequence[int], edges: int, within: float, *, rng: np.random.Generator
) -> Graph:
    """A random graph with about `edges` edges and classes of these sizes.

    Both ends of each edge are drawn at random. Repeated edges and loops are dropped and not
    replaced; in a sparse graph hardly any edge is lost.

    Args:
        sizes: the number of nodes of each class.
        edges: the number of edges that are drawn.
        within: the share of edges inside a class.
        rng: the source of randomness.
    """
    labels = np.repeat(np.arange(len(sizes)), sizes)  # (n,)
    ends = rng.integers(len(labels), size=(edges, 2))  # (m, 2)
    inside = rng.integers(10**6, size=edges) < within * 10**6
    ends[inside, 1] = _nodes_of_classes(labels[ends[inside, 0]], np.asarray(sizes), rng)
    graph = Graph.from_pairs(ends, len(labels))
    return Graph(graph.edges, graph.nodes, labels, tuple(f"class{k}" for k in range(len(sizes))))


def _nodes_of_classes(classes: Ints, sizes: Ints, rng: np.random.Generator) -> Ints:
    """The index of a random node of each of the `classes`, (m,)."""
    first = np.cumsum(sizes) - sizes
    return np.asarray(first[classes] + rng.integers(sizes[classes]))
