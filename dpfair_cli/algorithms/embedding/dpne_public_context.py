"""DPNE with public context vectors, for which Theorem 7 holds with a corrected sensitivity.

Source: xu2021, Equation 5.7, with a public H; ours.
Differs: The context vectors H are random, with rows h_j of norm at most 1 and orthogonal columns,
    and do not depend on the edges. Given H, the minimiser of Equation 5.7 is post-processing of 2 M
    H with noise on its rows, where M is the walk matrix. One edge changes the entries of M by at
    most 5/2 in the sum of their absolute values (mechanisms/sensitivity/walks.py). Since |h_j| <=
    1, the sum of the row norms of the change of M H is at most 5/2 too.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import row_laplace
from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.node_vectors import Embedding


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: factorisation.FactorSettings = factorisation.DEFAULT_FACTORS,
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors W (nodes, dimensions) that minimise an objective with added noise.

    The context vectors, the rows of H, are public.
    """
    # bound: |h_j| <= 1, (n, k)
    H = factorisation.along_its_axes(
        factorisation.random_rows(graph.nodes, settings.dimension, rng=rng)
    )
    # query: (n, k)
    query = 2 * (factorisation.walks_of(graph) @ H)
    # release
    noisy = row_laplace(query, l21_sensitivity=2 * L1_WALKS, epsilon=epsilon, rng=rng)
    # post-process
    return Embedding(
        factorisation.ridge_by_axes(
            noisy / 2, factorisation.squared_lengths(H), settings.regularisation
        )
    )


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Equation 5.7, with a public H; ours",
    guarantee=Guarantee(
        released="the vectors",
        neighbours=Neighbours.ONE_EDGE,
        public="the nodes",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/walks.py",
    ),
)
