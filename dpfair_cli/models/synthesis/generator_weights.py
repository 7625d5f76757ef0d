"""The network of a generator as NumPy arrays, with which records are drawn without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.models.synthesis.one_hot_groups import OneHotGroups

BATCH_NORM_EPSILON = 1e-5  # the default of torch.nn.BatchNorm1d
LAYERS = 3  # of networks.Generator


@dataclass(frozen=True, eq=False)
class GeneratorWeights:
    """The weights of a generator, and the distribution of its conditions."""

    weights: Mapping[str, Floats]  # weights and running means by the names of torch's state_dict
    # the one-hot groups of the generated columns; a generated label is the last group
    groups: OneHotGroups
    # the probability of each condition, (groups,), or (groups, labels) if labels are drawn
    shares: Floats

    def draw(self, n: int, *, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
        """A sample of n generated records: features (n, d), labels (n,) and groups (n,)."""
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
        """The number of noise variables from which the generator makes one record."""
        return int(self.weights["condition.weight"].shape[1])

    def scores(self, noise: Floats, chosen: Ints) -> Floats:
        """The scores that the generator gives to the levels of each attribute.

        The shape is (n, groups, widest group), where a group has the one-hot columns of one
        attribute.

        Args:
            noise: standard normal numbers, (n, width).
            chosen: the number of the condition of each row, (n,).
        """
        w, h = self.weights, noise * self.weights["condition.weight"][chosen]
        for k in range(LAYERS):
            deviation = np.sqrt(w[f"norm.{k}.running_var"] + BATCH_NORM_EPSILON)
            scaled = (h @ w[f"linear.{k}.weight"].T - w[f"norm.{k}.running_mean"]) / deviation
            normed = scaled * w[f"norm.{k}.weight"] + w[f"norm.{k}.bias"]
            h = (np.tanh(normed) if k == LAYERS - 1 else np.maximum(normed, 0)) + h
        return (h @ w["decoder.weight"].T + w["decoder.bias"]).reshape(-1, *self.groups.room.shape)
