"""The perturbed objective of DPNE in W, given H with H' H diagonal, and its minimiser (xu2021,
Equation 5.7).

    L(W) = ||M - W H'||^2 + r ||W||^2 + sum_i w_i eta_i'        "signed", as Theorem 7 has it
                                     + |sum_i w_i eta_i'|       "absolute", as the dissertation ran
                                     it

The first has the minimiser of a ridge regression. In the second the noise has a common factor c in
[-1, 1]: the one that holds the sum at 0, or the nearest end.
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
DECAY, SQUARES_DECAY, TINY = (
    0.9,
    0.999,
    1e-8,
)  # beta_1, beta_2 and epsilon of Adam (Kingma and Ba 2015)
NUMBERS_AT_ONCE = 65_536  # of a step: they and what moves them fit the processor's cache


@dataclass(frozen=True, eq=False)
class PerturbedObjective:
    """L by 2 M H (`query`, (n, k)), 2 M H - N (`noisy`), the diagonal of H' H (`lengths`, (k,)) and
    r.
    """

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

    def descend(
        self, rule: Steps, *, steps: int, learning_rate: float, rng: np.random.Generator
    ) -> Floats:
        """W after so many steps along the gradient, or of Adam, from small random rows, (n, k)."""
        W = START * random_rows(*self.query.shape, rng=rng)
        memory, height = np.zeros((2, *W.shape)), max(NUMBERS_AT_ONCE // W.shape[1], 1)
        blocks = [slice(first, min(first + height, len(W))) for first in range(0, len(W), height)]
        room = np.empty(
            (2, height, W.shape[1])
        )  # for what is computed on the way: a new array each time takes longer
        for step in range(1, steps + 1):
            sign = np.sign(np.vdot(W, self.noise)) if self.noise_term == "absolute" else 1.0
            for rows in blocks:  # given the sign, no row needs another
                change, spare = room[:, : rows.stop - rows.start]
                self._gradient(W[rows], rows, sign, change, spare)
                if rule == "adam":
                    _adam(change, memory[:, rows], step, spare)
                change *= learning_rate
                W[rows] -= change
        return W

    def _gradient(
        self, W: Floats, rows: slice, sign: float, gradient: Floats, spare: Floats
    ) -> None:
        """Into `gradient` that of L in some rows, W, where the sum in the noise term has this sign."""
        np.multiply(2 * (self.lengths + self.regularisation), W, out=gradient)
        gradient -= self.query[rows]
        gradient += np.multiply(sign, self.noise[rows], out=spare)


def _adam(gradient: Floats, memory: Floats, step: int, spare: Floats) -> None:
    """Adam's direction in place of the gradient; `memory`, the running means of gradient and
    square, goes on.
    """
    mean, square = memory
    _draw_near(mean, gradient, 1 - DECAY, spare)
    gradient *= gradient
    _draw_near(square, gradient, 1 - SQUARES_DECAY, spare)
    np.divide(mean, 1 - DECAY**step, out=gradient)
    np.sqrt(np.divide(square, 1 - SQUARES_DECAY**step, out=spare), out=spare)
    spare += TINY
    gradient /= spare


def _draw_near(mean: Floats, value: Floats, share: float, spare: Floats) -> None:
    """Move a running mean by a share of the way to a value."""
    np.subtract(value, mean, out=spare)
    spare *= share
    mean += spare
