"""The perturbed objective of DPNE in W, given H with H' H diagonal, and its minimiser.

Source: xu2021, Equation 5.7.

    L(W) = ||M - W H'||^2 + r ||W||^2 + sum_i w_i eta_i'     "signed", as in Theorem 7
                                     + |sum_i w_i eta_i'|    "absolute", as the dissertation ran it
                                     + sum_i |w_i eta_i'|    "absolute_per_node"

A step of stochastic gradient descent uses the terms of one node. From "absolute" such a step sees
|w_i eta_i'|, the term of "absolute_per_node".

With "signed" the minimiser is that of a ridge regression. With "absolute" the minimiser is that of
"signed" with the noise multiplied by a factor c in [-1, 1]: the factor for which the sum is 0, or
the end of the interval that is nearest to this factor. With "absolute_per_node" each row of the
noise has its own factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.models.embedding.factorisation import random_rows, ridge_by_axes

NoiseTerm = Literal["signed", "absolute", "absolute_per_node"]
Steps = Literal["gradient_descent", "shrinking_steps", "adam"]

START = 0.01  # largest norm of a row before the first step; our choice
DECAY, SQUARES_DECAY, TINY = 0.9, 0.999, 1e-8  # beta_1, beta_2, epsilon of Adam (Kingma, Ba 2015)
NUMBERS_AT_ONCE = 65_536  # entries of W that are updated together: they fit the processor's cache


@dataclass(frozen=True, eq=False)
class PerturbedObjective:
    """The perturbed objective L."""

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
        """The node vectors W that minimise the perturbed objective, (n, k)."""
        if self.noise_term == "signed":
            return self._ridge(self.noisy)
        public, shift = self._ridge(self.query), self._ridge(self.noise)
        length = self._sums(shift, self.noise)
        share = np.divide(
            self._sums(public, self.noise), length, out=np.zeros_like(length), where=length > 0
        )
        return np.asarray(public - np.clip(share, -1.0, 1.0) * shift)

    def _sums(self, W: Floats, noise: Floats) -> Floats:
        """The sums inside the absolute values of the noise term: one, or one for each row, (n, 1).

        `W` and `noise` (n, k) have the same rows.
        """
        if self.noise_term == "absolute":
            return np.asarray(np.vdot(W, noise))
        return np.asarray(np.einsum("ij,ij->i", W, noise)[:, None])

    def _ridge(self, doubled: Floats) -> Floats:
        return ridge_by_axes(doubled / 2, self.lengths, self.regularisation)

    def descend(
        self, rule: Steps, *, steps: int, learning_rate: float, rng: np.random.Generator
    ) -> Floats:
        """The node vectors W (n, k) after `steps` steps down the perturbed objective.

        The steps are those of gradient descent or Adam, from small random rows. "shrinking_steps"
        divides the learning rate of step t of gradient descent by sqrt(t).
        """
        W = START * random_rows(*self.query.shape, rng=rng)
        memory, height = np.zeros((2, *W.shape)), max(NUMBERS_AT_ONCE // W.shape[1], 1)
        blocks = [slice(first, min(first + height, len(W))) for first in range(0, len(W), height)]
        room = np.empty((2, height, W.shape[1]))  # for intermediate results, to save allocations
        sign = np.asarray(1.0)  # the factor of the noise: the sign of the sum in an absolute value
        for step in range(1, steps + 1):
            if self.noise_term == "absolute":
                sign = np.sign(self._sums(W, self.noise))
            rate = learning_rate / np.sqrt(step) if rule == "shrinking_steps" else learning_rate
            for rows in blocks:  # given the sign, no row depends on another
                change, spare = room[:, : rows.stop - rows.start]
                if self.noise_term == "absolute_per_node":
                    sign = np.sign(self._sums(W[rows], self.noise[rows]))
                self._gradient(W[rows], rows, sign, change, spare)
                if rule == "adam":
                    _adam(change, memory[:, rows], step, spare)
                change *= rate
                W[rows] -= change
        return W

    def _gradient(
        self, W: Floats, rows: slice, sign: Floats, gradient: Floats, spare: Floats
    ) -> None:
        """Writes the gradient of the perturbed objective for the rows `rows` of W into `gradient`.

        `sign`, one number or (m, 1), multiplies the noise of the objective, and `spare` is memory
        for intermediate results.
        """
        np.multiply(2 * (self.lengths + self.regularisation), W, out=gradient)
        gradient -= self.query[rows]
        gradient += np.multiply(sign, self.noise[rows], out=spare)


def _adam(gradient: Floats, memory: Floats, step: int, spare: Floats) -> None:
    """Replaces `gradient` by Adam's direction and updates the running means in `memory`.

    `step` is the number of the step, and `spare` is memory for intermediate results.
    """
    mean, square = memory
    _update_mean(mean, gradient, 1 - DECAY, spare)
    gradient *= gradient
    _update_mean(square, gradient, 1 - SQUARES_DECAY, spare)
    np.divide(mean, 1 - DECAY**step, out=gradient)
    np.sqrt(np.divide(square, 1 - SQUARES_DECAY**step, out=spare), out=spare)
    spare += TINY
    gradient /= spare


def _update_mean(mean: Floats, value: Floats, share: float, spare: Floats) -> None:
    """Moves the running mean `mean` by the share `share` of the way to `value`.

    `spare` is memory for intermediate results.
    """
    np.subtract(value, mean, out=spare)
    spare *= share
    mean += spare
