"""dpM: a factorisation of the walk matrix with Laplace noise on every entry.

Source: xu2021, Section 5.4.2.
Differs: M is the walk matrix, the mean of the one-step and two-step transition probabilities.
    Laplace noise needs a bound on the sum of the absolute changes of the entries of M when one edge
    is added. This sum is 2 for the first edge of an empty graph and at most 5/2 (`sensitivity`
    "proved", see mechanisms/sensitivity/walks.py). The printed scale sqrt(2) / epsilon
    (`sensitivity` "published") comes from Lemma 1, which bounds the Frobenius norm of the change.
    The guarantee of this variant is refuted: the noise costs 1.77 epsilon. For the worst case that
    Lemma 1 names, the Frobenius norm is 1 (`sensitivity` "frobenius"). The guarantee of this
    variant is refuted too: the noise costs 2.5 epsilon.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Epsilon, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.walks import FROBENIUS, L1_WALKS, L2_PUBLISHED
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.node_vectors import Embedding

SENSITIVITIES = {"proved": L1_WALKS, "published": L2_PUBLISHED, "frobenius": FROBENIUS}


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: factorisation.FactorSettings = factorisation.DEFAULT_FACTORS,
    sensitivity: Literal["proved", "published", "frobenius"] = "proved",
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors W (nodes, dimensions) of the factorisation of a noisy walk matrix.

    The walk matrix holds the mean probabilities with which one or two random steps lead from one
    node to another. All entries of the noisy matrix are kept, also negative ones.

    Args:
        sensitivity: The bound that the noise is calibrated to; only "proved" is private.

    Raises:
        ValueError: the graph has too many nodes for a matrix of all pairs.
    """
    factorisation.require_all_pairs(graph.nodes)
    start = factorisation.random_rows(graph.nodes, settings.dimension, rng=rng)
    # query: (n, n)
    M = factorisation.walks_of(graph).dense()
    # release
    noisy = laplace(M, l1_sensitivity=SENSITIVITIES[sensitivity], epsilon=epsilon, rng=rng)
    # post-process
    factors = factorisation.factorise(noisy, start, regularisation=settings.regularisation)
    return Embedding(factors.W)


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 5.4.2",
    guarantee=Guarantee(
        released="the noisy matrix and the vectors made from it",
        neighbours=Neighbours.ONE_EDGE,
        public="the nodes",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/walks.py",
        variants={
            ("sensitivity", "published"): Status.REFUTED,
            ("sensitivity", "frobenius"): Status.REFUTED,
        },
    ),
)
