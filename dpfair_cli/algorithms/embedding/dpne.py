"""DPNE: network embedding by objective perturbation of a matrix factorisation.

Source: xu2021, Section 5.4.1, Equation 5.7 and Theorem 7.
Privacy: epsilon-differential privacy of the vectors is claimed; it does not hold.
Neighbours: one edge; the nodes are public.
Status: refuted
Differs: Theorem 7 does not hold, for three reasons. H is trained on the graph without noise and
    enters W = (M H - N / 2) (H' H + r)^-1: where two graphs have another H' H, the density ratio of
    W grows with |W| beyond every bound, so that no finite epsilon holds. Lemma 1 bounds the
    Frobenius norm of the change of M, where the proof needs the sum of the row norms of the change
    of M H, up to 5/2. And the term as it was run, |sum_i w_i eta_i'| (`noise_term` "absolute"), is
    not differentiable where its minimum lies: all of the noise but a small share is cancelled.
    `solver` "exact" is the minimiser of Equation 5.7; "gradient_descent" takes `steps` of the
    printed `learning_rate` along the gradient, "adam" steps of Adam, whose length does not depend
    on the size of the noise. With H from nowhere near the graph the theorem is true:
    dpne_public_context.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Count, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.row_laplace import row_laplace
from dpfair_cli.mechanisms.sensitivity.walks import L2_PUBLISHED
from dpfair_cli.models.embedding.factorisation import (
    DEFAULT_FACTORS,
    FactorSettings,
    factorise_walks,
    squared_lengths,
    walks_of,
)
from dpfair_cli.models.embedding.node_vectors import Embedding
from dpfair_cli.models.embedding.perturbed_objective import NoiseTerm, PerturbedObjective

Solver = Literal["exact", "gradient_descent", "adam"]


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: FactorSettings = DEFAULT_FACTORS,
    noise_term: NoiseTerm = "signed",
    solver: Solver = "exact",
    steps: Count = 300,
    learning_rate: PositiveFinite = 0.015,
    rng: np.random.Generator,
) -> Embedding:
    """The vectors W that minimise the perturbed objective, given context vectors H of norm 1 at
    most.
    """
    factors = factorise_walks(graph, settings, rng=rng)  # bound: |h_j| <= 1
    query = 2 * walks_of(graph).times(factors.H)  # query: (n, k)
    noisy = row_laplace(
        query, l21_sensitivity=2 * L2_PUBLISHED, epsilon=epsilon, rng=rng
    )  # release
    objective = PerturbedObjective(
        query, noisy, squared_lengths(factors.H), settings.regularisation, noise_term
    )
    if solver == "exact":
        return Embedding(objective.minimiser())
    return Embedding(objective.descend(solver, steps=steps, learning_rate=learning_rate, rng=rng))


ALGORITHM = Algorithm(fit)
