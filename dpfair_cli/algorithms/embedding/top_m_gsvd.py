"""Top-m GSVD: generalised singular vectors of a noisy graph that consists of the most likely edges.

Source: Nguyen, Imine and Rusinowitch 2015 (Top-m Filter), for the graph; Abdi 2007 (GSVD) and
    Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network), for the embedding; ours.
Differs: The noisy graph is that of `top_m_filter`: Laplace noise on the number of edges and on
    every entry of the upper triangle of the adjacency matrix, both of which one edge changes by 1.
    The vectors are those of `gsvd` for the noisy graph. They are computed from the noisy graph, the
    public nodes and the settings alone, and are therefore post-processing: the guarantee of the
    noisy graph covers them (Dwork and Roth 2014, Proposition 2.1).
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, Fraction, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import singular_vectors as gsvd
from dpfair_cli.models.embedding.factorisation import require_all_pairs
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.models.embedding.noisy_graph import noisy_graph


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: gsvd.SingularSettings = gsvd.DEFAULT_SINGULAR,
    count_share: Fraction = 0.1,
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors (nodes, dimensions), of length 1, of a noisy graph.

    Args:
        count_share: The share of epsilon for the number of edges; the entries get the rest.

    Raises:
        ValueError: the graph has too many nodes for noise on all pairs.
    """
    require_all_pairs(graph.nodes)
    # release
    noisy = noisy_graph(graph, epsilon=epsilon, count_share=count_share, rng=rng)
    # post-process
    return Embedding(gsvd.singular_vectors(noisy, settings, rng=rng))


ALGORITHM = Algorithm(
    fit,
    source=(
        "Nguyen, Imine and Rusinowitch 2015 (Top-m Filter), for the graph; Abdi 2007 (GSVD) and "
        "Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network), for the embedding; ours"
    ),
    guarantee=Guarantee(
        released="the noisy graph and the vectors made from it",
        neighbours=Neighbours.ONE_EDGE,
        public="the nodes",
        status=Status.PROVED,
        proof="algorithms/embedding/top_m_gsvd.py (Differs)",
    ),
)
