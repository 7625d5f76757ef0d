"""The perturbed objective of DPNE in W, given H with H' H diagonal, and its minimiser (xu2021, Equation 5.7).

    L(W) = ||M - W H'||^2 + r ||W||^2 + sum_i w_i eta_i'        "signed", as Theorem 7 has it
                                     + |sum_i w_i eta_i'|       "absolute", as the dissertation ran it

The first has the minimiser of a ridge regression. In the second the noise has a common factor c in [-1, 1]: the one
that holds the sum at 0, or the nearest end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.models.embedding.factorisation import random_rows, ridge_by_axes

NoiseTerm = Literal["signed", "absolute"]
Steps = Literal["gradient_descent", "adam"]

START = 0.01  # the norm of a row before the first step, at most
DECAY, SQUARES_DECAY, TINY = 0.9, 0.999, 1e-8  # beta_1, beta_2 and epsilon of Adam (Kingma and Ba 2015)
ROWS_AT_ONCE = 64  # of a step: they and their noise fit the processor's cache


@dataclass(frozen=True, eq=False)
class PerturbedObjective:
    """L by 2 M H (`query`, (n, k)), 2 M H - N (`noisy`), the diagonal of H' H (`lengths`, (k,)) and r."""

    query: Floats
    noisy: Floats
    lengths: Floats
    regularisation: float
    noise_term: NoiseTerm

    @cached_property
    def noise(self) -> Floats:
        """N, whose rows are the eta_i, (n, k)."""
        return self.query - self.noisy

    def minimiser(self) -> Floats:
        """W at the minimum, (n, k)."""
        if self.noise_term == "signed":
            return self._ridge(self.noisy)
        public, shift = self._ridge(self.query), self._ridge(self.noise)
        length = np.vdot(shift, self.noise)
        share = np.clip(np.vdot(public, self.noise) / length, -1.0, 1.0) if length > 0 else 0.0
        return np.asarray(public - share * shift)

    def _ridge(self, doubled: Floats) -> Floats:
        return ridge_by_axes(doubled / 2, self.lengths, self.regularisation)

    def descend(self, rule: Steps, *, steps: int, learning_rate: float, rng: np.random.Generator) -> Floats:
        """W after so many steps along the gradient, or of Adam, from small random rows, (n, k)."""
        W = START * random_rows(*self.query.shape, rng=rng)
        memory = np.zeros((2, *W.shape))
        blocks = [slice(first, first + ROWS_AT_ONCE) for first in range(0, len(W), ROWS_AT_ONCE)]
        for step in range(1, steps + 1):
            sign = np.sign(np.vdot(W, self.noise)) if self.noise_term == "absolute" else 1.0
            for rows in blocks:  # given the sign, no row needs another
                gradient = self._gradient(W, rows, sign)
                W[rows] -= learning_rate * (_adam(gradient, memory[:, rows], step) if rule == "adam" else gradient)
        return W

    def _gradient(self, W: Floats, rows: slice, sign: float) -> Floats:
        """The gradient of L in some rows of W, where the sum in the noise term has this sign."""
        weights = 2 * (self.lengths + self.regularisation)
        return np.asarray(weights * W[rows] - self.query[rows] + sign * self.noise[rows])


def _adam(gradient: Floats, memory: Floats, step: int) -> Floats:
    """The direction of Adam's step; `memory`, the running means of gradient and square, goes on in place."""
    mean, square = memory
    mean += (1 - DECAY) * (gradient - mean)
    square += (1 - SQUARES_DECAY) * (gradient * gradient - square)
    return np.asarray(mean / (1 - DECAY**step) / (np.sqrt(square / (1 - SQUARES_DECAY**step)) + TINY))
