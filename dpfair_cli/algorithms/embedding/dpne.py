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
    by sqrt(t). "adam" takes steps of Adam, whose length does not depend on the size of the noise. H
    comes from alternating ridge regressions, where the text prints stochastic gradient descent, and
    is divided by the norm of its longest row, because Theorem 7 needs rows of norm at most 1; the
    text does not say how. M has no logarithm, as in Section 5.5 and unlike Equation 5.3. The method
    dpne_public_context has an H that does not depend on the graph, for which the theorem holds with
    a larger sensitivity.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Epsilon, PositiveFinite, checked
from dpfair_cli.kinds.graphs import Graph
from dpfair_cli.mechanisms.laplace import row_laplace
from dpfair_cli.mechanisms.sensitivity.walks import L2_PUBLISHED
from dpfair_cli.models.embedding import factorisation
from dpfair_cli.models.embedding.node_vectors import Embedding

NoiseTerm = Literal["signed", "absolute", "absolute_per_node"]
Solver = Literal["exact", "gradient_descent", "shrinking_steps", "adam"]
START = 0.01  # largest norm of a row before the first step; our choice
DECAY, SQUARES_DECAY, TINY = 0.9, 0.999, 1e-8  # beta_1, beta_2, epsilon of Adam (Kingma, Ba 2015)


@checked
def fit(
    graph: Graph,
    *,
    epsilon: Epsilon = 1.0,
    settings: factorisation.FactorSettings = factorisation.DEFAULT_FACTORS,
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
    factors = factorisation.factorise_walks(graph, settings, rng=rng)
    # query: (n, k)
    query = 2 * (factorisation.walks_of(graph) @ factors.H)
    # release
    noisy = row_laplace(query, l21_sensitivity=2 * L2_PUBLISHED, epsilon=epsilon, rng=rng)
    # post-process
    objective = PerturbedObjective(
        query, noisy, factorisation.squared_lengths(factors.H), settings.regularisation, noise_term
    )
    if solver == "exact":
        return Embedding(objective.minimiser())
    return Embedding(objective.descend(solver, steps=steps, learning_rate=learning_rate, rng=rng))


@dataclass(frozen=True, eq=False)
class PerturbedObjective:
    """The perturbed objective L of the node vectors W, given H with H' H diagonal.

    Source: xu2021, Equation 5.7.

        L(W) = ||M - W H'||^2 + r ||W||^2 + sum_i w_i eta_i'    "signed", as in Theorem 7
                                     + |sum_i w_i eta_i'|       "absolute"
                                     + sum_i |w_i eta_i'|       "absolute_per_node"
    """

    query: Floats  # 2 M H, (n, k)
    noisy: Floats  # 2 M H - N, (n, k)
    lengths: Floats  # the diagonal of H' H, (k,)
    regularisation: float  # r, the ridge penalty
    noise_term: NoiseTerm  # the form of the noise term of L

    @cached_property
    def noise(self) -> Floats:
        """The noise of the objective, one row for each node, (n, k)."""
        return self.query - self.noisy

    def minimiser(self) -> Floats:
        """The node vectors W that minimise the perturbed objective, (n, k).

        With "signed" they are a ridge regression. Otherwise they are that of "signed" with the
        noise, or each row of it, multiplied by a factor in [-1, 1]: the factor for which the sum in
        the absolute value is 0, or the end of the interval that is nearest to this factor.
        """
        if self.noise_term == "signed":
            return self._ridge(self.noisy)
        public, shift = self._ridge(self.query), self._ridge(self.noise)
        length = self._sums(shift)
        share = np.divide(self._sums(public), length, out=np.zeros_like(length), where=length > 0)
        return np.asarray(public - np.clip(share, -1.0, 1.0) * shift)

    def descend(
        self, rule: Solver, *, steps: int, learning_rate: float, rng: np.random.Generator
    ) -> Floats:
        """The node vectors W (n, k) after `steps` steps down the objective, from small rows."""
        W = START * factorisation.random_rows(*self.query.shape, rng=rng)
        mean, square = np.zeros((2, *W.shape))  # running means of Adam
        for step in range(1, steps + 1):
            # the slope of the noise term: that of |x| is the sign of x
            sign = 1.0 if self.noise_term == "signed" else np.sign(self._sums(W))
            change = 2 * (self.lengths + self.regularisation) * W - self.query + sign * self.noise
            if rule == "adam":
                mean += (change - mean) * (1 - DECAY)
                square += (change * change - square) * (1 - SQUARES_DECAY)
                scale = np.sqrt(square / (1 - SQUARES_DECAY**step)) + TINY
                change = mean / (1 - DECAY**step) / scale
            rate = learning_rate / np.sqrt(step) if rule == "shrinking_steps" else learning_rate
            W -= change * rate
        return W

    def _sums(self, W: Floats) -> Floats:
        """The sums in the absolute values of the noise term: one, or one for each row, (n, 1)."""
        if self.noise_term == "absolute":
            return np.asarray(np.vdot(W, self.noise))
        return np.asarray(np.einsum("ij,ij->i", W, self.noise)[:, None])

    def _ridge(self, doubled: Floats) -> Floats:
        return factorisation.ridge_by_axes(doubled / 2, self.lengths, self.regularisation)


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
