"""Top-m Filter: an embedding of a noisy graph that consists of the most likely edges.

Source: Nguyen, Imine and Rusinowitch 2015 (Top-m Filter), for the graph; xu2021, Equation 5.4, for
    the embedding.
Differs: One edge changes the number of edges by 1 and one entry of the upper triangle of the
    adjacency matrix by 1. Both are released with Laplace noise, and everything else is
    post-processing. The edges of the noisy graph are the largest noisy entries, as many as the
    noisy number of edges. The paper draws the few pairs without an edge whose noisy entry exceeds a
    threshold, and adds no noise to the other pairs. Here every entry gets noise, which gives the
    same distribution. The guarantee is for graphs that differ in one edge. It does not cover graphs
    that differ in one node, which may change n - 1 entries.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.models.embedding.factorisation import (
    DEFAULT_FACTORS,
    FactorSettings,
    factorise,
    random_rows,
)
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.models.embedding.walks import Walks, require_all_pairs


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: FactorSettings = DEFAULT_FACTORS,
    count_share: Fraction = 0.1,
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors W (nodes, dimensions) from the walk matrix of a noisy graph.

    The walk matrix M is factorised into W H'.

    Args:
        count_share: The share of epsilon for the number of edges; the entries get the rest.

    Raises:
        ValueError: the graph has too many nodes for noise on all pairs.
    """
    require_all_pairs(graph.nodes)
    start = random_rows(graph.nodes, settings.dimension, rng=rng)
    # release
    noisy = noisy_graph(graph, epsilon=epsilon, count_share=count_share, rng=rng)
    # post-process
    return Embedding(factorise(Walks(noisy), start, regularisation=settings.regularisation).W)


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


ALGORITHM = Algorithm(
    fit,
    source=(
        "Nguyen, Imine and Rusinowitch 2015 (Top-m Filter), for the graph; xu2021, Equation 5.4, "
        "for the embedding"
    ),
    guarantee=Guarantee(
        released="the noisy graph and the vectors made from it",
        neighbours=Neighbours.ONE_EDGE,
        public="the nodes",
        status=Status.PROVED,
        proof="algorithms/embedding/top_m_filter.py (Differs)",
    ),
)
