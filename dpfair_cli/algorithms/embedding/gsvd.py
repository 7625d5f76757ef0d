"""Network embedding without privacy: generalised SVD of the degree-normalised adjacency matrix.

Source: Abdi 2007 (GSVD); Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network).
Differs: The regularisation is the weight that is added to each node, 1 by default. scikit-network
    adds none by default, and otherwise a share of the mean degree. Columns beyond the rank of the
    matrix are 0.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.models.embedding import singular_vectors as gsvd
from dpfair_cli.models.embedding.node_vectors import Embedding


@checked
def fit(
    graph: Graph,
    *,
    settings: gsvd.SingularSettings = gsvd.DEFAULT_SINGULAR,
    rng: np.random.Generator,
) -> Embedding:
    """The node vectors (nodes, dimensions), of length 1, from the largest singular values.

    A node without an edge has the vector 0, unless there is a regularisation.
    """
    return Embedding(gsvd.singular_vectors(graph, settings, rng=rng))


ALGORITHM = Algorithm(
    fit,
    source="Abdi 2007 (GSVD); Bonald, de Lara, Lutz and Charpentier 2020 (scikit-network)",
)
