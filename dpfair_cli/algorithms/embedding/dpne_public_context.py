"""DPNE with context vectors that no edge was used for: where its Theorem 7 holds, with the
sensitivity that it needs.

Source: xu2021, Equation 5.7, with a public H; ours.
Privacy: epsilon-differential privacy of the vectors.
Neighbours: one edge; the nodes are public.
Status: proved
Proof: mechanisms/sensitivity/walks.py
Differs: H is random, with rows of norm 1 at most, and its columns are turned to be orthogonal, for
    which no edge is read. Given H, the minimiser of Equation 5.7 is post-processing of 2 M H with
    noise on its rows. One edge moves M by at most 5/2 in the sum of its absolute entries
    (mechanisms/sensitivity/walks.py), and with |h_j| <= 1 the rows of M H by no more in the sum of
    their norms.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.row_laplace import row_laplace
from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS
from dpfair_cli.models.embedding.factorisation import (
    DEFAULT_FACTORS,
    FactorSettings,
    along_its_axes,
    random_rows,
    ridge_by_axes,
    squared_lengths,
    walks_of,
)
from dpfair_cli.models.embedding.node_vectors import Embedding


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: FactorSettings = DEFAULT_FACTORS,
    rng: np.random.Generator,
) -> Embedding:
    """The vectors W that minimise the perturbed objective, given public context vectors."""
    H = along_its_axes(
        random_rows(graph.nodes, settings.dimension, rng=rng)
    )  # bound: |h_j| <= 1, (n, k)
    query = 2 * walks_of(graph).times(H)  # query: (n, k)
    noisy = row_laplace(query, l21_sensitivity=2 * L1_WALKS, epsilon=epsilon, rng=rng)  # release
    return Embedding(ridge_by_axes(noisy / 2, squared_lengths(H), settings.regularisation))


ALGORITHM = Algorithm(fit)
