"""Network embedding without privacy: DeepWalk with window 2 as a matrix factorisation.

Source: xu2021, Section 5.3, Equation 5.4; Yang, Liu, Zhao, Sun and Chang 2015 (TADW).
Differs: The factorised matrix M is the mean of P and P^2 (Section 5.5), where P has the transition
    probabilities of a random walk. Equation 5.3 prints the logarithm of this mean, which is minus
    infinity for pairs of nodes without a walk. The objective is minimised by alternating ridge
    regressions instead of gradient descent.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.node_vectors import Embedding


@checked
def fit(
    graph: Graph,
    *,
    settings: factorisation.FactorSettings = factorisation.DEFAULT_FACTORS,
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors W (nodes, dimensions) of the factorisation of the walk matrix into W H'.

    A node without an edge has the vector 0.
    """
    return Embedding(factorisation.factorise_walks(graph, settings, rng=rng).W)


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 5.3, Equation 5.4; Yang, Liu, Zhao, Sun and Chang 2015 (TADW)",
)
