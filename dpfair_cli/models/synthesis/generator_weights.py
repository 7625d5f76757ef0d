"""The network of a generator as numbers, so that it draws records without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups

BATCH_NORM_EPSILON = 1e-5  # torch's
LAYERS = 3


@dataclass(frozen=True, eq=False)
class GeneratorWeights:
    """A generator's weights by name, and how often each condition occurs: (groups,), or (groups,
    labels).

    Where the conditions do not have labels, the last one of its groups of columns is the label.
    """

    weights: Mapping[str, Floats]
    groups: OneHotGroups
    shares: Floats

    def draw(self, n: int, *, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
        """Rows of the attributes (n, d) with label and protected group, (n,) each."""
        chosen = rng.choice(self.shares.size, size=n, p=self.shares.ravel())
        scores = self.scores(rng.standard_normal((n, self.width)), chosen)
        gumbel = -np.log(-np.log(rng.random(scores.shape)))
        rows = self.groups.rows(np.where(self.groups.room, scores + gumbel, -np.inf).argmax(axis=2))
        if self.shares.ndim == 2:
            protected, y = np.unravel_index(chosen, self.shares.shape)
            return rows, y, protected
        return rows[:, :-2], rows[:, -1].astype(np.int64), chosen

    @property
    def width(self) -> int:
        """How many numbers of noise a row is made from."""
        return int(self.weights["condition.weight"].shape[1])

    def scores(self, noise: Floats, chosen: Ints) -> Floats:
        """The network: noise (n, width) and the conditions chosen (n,) -> scores (n, groups, widest
        group).
        """
        w, h = self.weights, noise * self.weights["condition.weight"][chosen]
        for k in range(LAYERS):
            deviation = np.sqrt(w[f"norm.{k}.running_var"] + BATCH_NORM_EPSILON)
            scaled = (h @ w[f"linear.{k}.weight"].T - w[f"norm.{k}.running_mean"]) / deviation
            normed = scaled * w[f"norm.{k}.weight"] + w[f"norm.{k}.bias"]
            h = (np.tanh(normed) if k == LAYERS - 1 else np.maximum(normed, 0)) + h
        return (h @ w["decoder.weight"].T + w["decoder.bias"]).reshape(-1, *self.groups.room.shape)
