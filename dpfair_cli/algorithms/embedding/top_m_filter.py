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

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.models.embedding.noisy_graph import noisy_graph


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: factorisation.FactorSettings = factorisation.DEFAULT_FACTORS,
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
    factorisation.require_all_pairs(graph.nodes)
    start = factorisation.random_rows(graph.nodes, settings.dimension, rng=rng)
    # release
    noisy = noisy_graph(graph, epsilon=epsilon, count_share=count_share, rng=rng)
    # post-process
    M = factorisation.walks_of(noisy)
    factors = factorisation.factorise(M, start, regularisation=settings.regularisation)
    return Embedding(factors.W)


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
