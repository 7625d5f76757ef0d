"""The stochastic block model: nodes of a class are joined more often than nodes of different
classes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.graphs import Graph


def block_model(
    sizes: Sequence[int], edges: int, within: float, *, rng: np.random.Generator
) -> Graph:
    """About `edges` edges between classes of these sizes, a share `within` of them inside a class.

    Ends are drawn, repeats and loops left out and not made up for: of few edges to many nodes
    hardly any is missing.
    """
    labels = np.repeat(np.arange(len(sizes)), sizes)  # (n,)
    ends = rng.integers(len(labels), size=(edges, 2))  # (m, 2)
    inside = rng.integers(10**6, size=edges) < within * 10**6
    ends[inside, 1] = _of_the_same_class(labels[ends[inside, 0]], np.asarray(sizes), rng)
    graph = Graph.from_pairs(ends, len(labels))
    return Graph(graph.edges, graph.nodes, labels, tuple(f"class{k}" for k in range(len(sizes))))


def _of_the_same_class(classes: Ints, sizes: Ints, rng: np.random.Generator) -> Ints:
    """A random node of each class, (m,)."""
    first = np.cumsum(sizes) - sizes
    return np.asarray(first[classes] + rng.integers(sizes[classes]))
