"""DPNE: network embedding by objective perturbation of a matrix factorisation.

Source: xu2021, Section 5.4.1, Equation 5.7 and Theorem 7.
Differs: M is the walk matrix, W are the released vectors of the nodes, H are the context vectors, N
    is the noise and r is the regularisation. Theorem 7 does not hold, for three reasons. First, H
    is trained on the graph without noise and enters W = (M H - N / 2) (H' H + r)^-1. Where two
    graphs have different H' H, the ratio of the densities of W grows without bound in |W|, and no
    finite epsilon bounds this ratio. Second, Lemma 1 bounds the Frobenius norm of the change of M,
    while the proof needs the sum of the row norms of the change of M H, which is up to 5/2. Third,
    the noise term that the dissertation used, |sum_i w_i eta_i'| (`noise_term` "absolute"), is not
    differentiable at its minimum, where nearly all of the noise cancels. "absolute_per_node" is the
    term sum_i |w_i eta_i'|, which a step of stochastic gradient descent over single nodes sees.
    `solver` "exact" returns the minimiser of Equation 5.7. "gradient_descent" takes `steps` steps
    of the printed `learning_rate` along the gradient. "shrinking_steps" divides the rate of step t
    by sqrt(t). "adam" takes steps of Adam, whose length does not depend on the size of the noise.
    The method dpne_public_context has an H that does not depend on the graph, for which the theorem
    holds with a larger sensitivity.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import row_laplace
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

Solver = Literal["exact", "gradient_descent", "shrinking_steps", "adam"]


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
    """The node vectors W (nodes, dimensions) that minimise an objective with added noise.

    The context vectors h_j, the rows of H, have norm at most 1.

    Args:
        noise_term: The noise term of the objective: linear ("signed"), or an absolute value.
        solver: How the vectors are computed: the "exact" minimiser, or a number of gradient steps.
        steps: The number of gradient steps; not used by the solver "exact".
        learning_rate: The length of a gradient step; not used by the solver "exact".
    """
    # bound: |h_j| <= 1
    factors = factorise_walks(graph, settings, rng=rng)
    # query: (n, k)
    query = 2 * walks_of(graph).times(factors.H)
    # release
    noisy = row_laplace(query, l21_sensitivity=2 * L2_PUBLISHED, epsilon=epsilon, rng=rng)
    # post-process
    objective = PerturbedObjective(
        query, noisy, squared_lengths(factors.H), settings.regularisation, noise_term
    )
    if solver == "exact":
        return Embedding(objective.minimiser())
    return Embedding(objective.descend(solver, steps=steps, learning_rate=learning_rate, rng=rng))


ALGORITHM = Algorithm(
    fit,
    source="xu2021, Section 5.4.1, Equation 5.7 and Theorem 7",
    guarantee=Guarantee(
        released="the vectors",
        neighbours=Neighbours.ONE_EDGE,
        public="the nodes",
        status=Status.REFUTED,
    ),
)
