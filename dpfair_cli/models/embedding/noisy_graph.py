"""A noisy graph that consists of the most likely edges: the releases of Top-m Filter.

One edge changes the number of edges by 1 and one entry of the upper triangle of the adjacency
matrix by 1. Both are released with Laplace noise. The edges of the noisy graph are the largest
noisy entries, as many as the noisy number of edges, and are computed from the releases alone.

Source: Nguyen, Imine and Rusinowitch 2015 (Top-m Filter).
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import laplace


def noisy_graph(
    graph: Graph, *, epsilon: float, count_share: float, rng: np.random.Generator
) -> Graph:
    """The graph of the pairs with the largest noisy entries, as many as the noisy number of edges.

    The graph is epsilon-differentially private for graphs that differ in one edge, and so is
    everything that is computed from it. `count_share` is the share of epsilon for the number of
    edges.
    """
    epsilon_count, epsilon_pairs = count_share * epsilon, (1 - count_share) * epsilon
    # release
    count = laplace(len(graph), l1_sensitivity=1, epsilon=epsilon_count, rng=rng)
    # release: (n (n - 1) / 2,)
    pairs = laplace(_upper_triangle(graph), l1_sensitivity=1, epsilon=epsilon_pairs, rng=rng)
    # post-process
    kept = int(np.clip(np.round(count), 0, len(pairs)))
    return _graph_of_the_largest(pairs, kept, graph.nodes)


def _upper_triangle(graph: Graph) -> Floats:
    """A vector (n (n - 1)/2,) with 1 for each pair of nodes with an edge and 0 for other pairs."""
    i, j = graph.edges.T
    values = np.zeros(graph.nodes * (graph.nodes - 1) // 2)
    values[i * (2 * graph.nodes - i - 1) // 2 + j - i - 1] = 1.0
    return values


def _graph_of_the_largest(pairs: Floats, count: int, nodes: int) -> Graph:
    """The graph whose edges are the `count` pairs of nodes with the largest values."""
    first, second = np.triu_indices(nodes, k=1)
    chosen = (
        np.argpartition(pairs, len(pairs) - count)[len(pairs) - count :]
        if count
        else np.zeros(0, dtype=int)
    )
    return Graph.from_pairs(np.column_stack([first[chosen], second[chosen]]), nodes)
