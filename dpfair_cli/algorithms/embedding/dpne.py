"""DPNE: network embedding by objective perturbation of a matrix factorisation.

Source: xu2021, Section 5.4.1, Equation 5.7 and Theorem 7.
Privacy: epsilon-differential privacy.
Neighbours: one edge; the nodes are public.
Status: refuted
Differs: Theorem 7 does not hold, for three reasons. H is trained on the graph without noise (`context_vectors`
    "trained") and enters W = (M H - N / 2) (H' H + r)^-1: where two graphs have another H' H, the density ratio of W
    grows with |W| beyond every bound, so that no finite epsilon holds. The bound of Lemma 1 (`sensitivity`
    "published", sqrt(2)) is one of the Frobenius norm of M, where the proof needs the sum of the row norms of the
    change of M H, up to 5/2 ("proved"). And the term as it was run, |sum_i w_i eta_i'| (`noise_term` "absolute"), is
    not differentiable where its minimum lies: all of the noise but a share c is cancelled, and c is small. With
    `context_vectors` "random" (random, public), "proved" and "signed", the release is private: the mechanism is
    then Laplace noise on the rows of 2 M H. `solver` "exact" is the minimiser; "gradient_descent" takes `steps` of
    the printed `learning_rate` along the gradient, "adam" steps of Adam, whose length does not depend on the size of
    the noise.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm, Status
from dpfair_cli.contracts.parameters import Count, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.row_laplace import row_laplace
from dpfair_cli.mechanisms.sensitivity.walks import L1_WALKS, L2_PUBLISHED
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.factorisation import Dimension, Regularisation
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.models.embedding.perturbed_objective import NoiseTerm, PerturbedObjective

Solver = Literal["exact", "gradient_descent", "adam"]
SENSITIVITIES = {"published": L2_PUBLISHED, "proved": L1_WALKS}


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    dimension: Dimension = 100,
    regularisation: Regularisation = 0.001,
    sensitivity: Literal["published", "proved"] = "published",
    context_vectors: Literal["trained", "random"] = "trained",
    noise_term: NoiseTerm = "signed",
    solver: Solver = "exact",
    steps: Count = 300,
    learning_rate: PositiveFinite = 0.015,
    rng: np.random.Generator,
) -> Embedding:
    """The vectors W that minimise the perturbed objective, given context vectors H of norm 1 at most."""
    H = _context(graph, context_vectors, dimension, regularisation, rng)  # bound: |h_j| <= 1, (n, k)
    query = 2 * factorisation.walks_of(graph).times(H)  # query: (n, k)
    noisy = row_laplace(query, l21_sensitivity=2 * SENSITIVITIES[sensitivity], epsilon=epsilon, rng=rng)  # release
    objective = PerturbedObjective(query, noisy, factorisation.squared_lengths(H), regularisation, noise_term)
    if solver == "exact":
        return Embedding(objective.minimiser())
    return Embedding(objective.descend(solver, steps=steps, learning_rate=learning_rate, rng=rng))


def _context(graph: Graph, kind: str, dimension: int, regularisation: float, rng: np.random.Generator) -> Floats:
    """H trained on the graph, or public random rows; both with H' H diagonal."""
    if kind == "random":
        return factorisation.along_its_axes(factorisation.random_rows(graph.nodes, dimension, rng=rng))
    return factorisation.factorise_walks(graph, dimension=dimension, regularisation=regularisation, rng=rng).H


ALGORITHM = Algorithm(
    fit,
    statuses={
        ("sensitivity", "published"): Status.REFUTED,
        ("noise_term", "absolute"): Status.REFUTED,
        ("context_vectors", "random"): Status.PROVED,
    },
)
