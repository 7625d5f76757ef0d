"""Rules that give each individual a score: the given one, the middle of its bin, or a new bin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

import dpfair_cli.plugin as dp

from .group_scores import GroupScores


class ScoreRule(dp.Result, Protocol):
    """The result that the `fit` of a post-processing of scores returns."""

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> dp.Floats:
        """The score that the rule gives each individual, (n,); some rules draw it at random."""
        ...


@dataclass(frozen=True)
class Bins:
    """Bins of equal width of the range of scores.

    >>> Bins(0.0, 1.0, 4).places(np.array([-1.0, 0.1, 0.25, 1.0])).tolist()
    [0, 0, 1, 3]
    """

    low: float  # the lowest score
    high: float  # the highest score
    count: int  # the number of bins

    @property
    def middles(self) -> dp.Floats:
        """The middle of each bin, (bins,)."""
        edges = self._edges()
        return np.asarray((edges[1:] + edges[:-1]) / 2)

    def places(self, scores: dp.Floats) -> dp.Ints:
        """The bin of each score, (n,). A score outside the range is in the nearest bin."""
        return np.clip(np.digitize(scores, self._edges()) - 1, 0, self.count - 1)

    def _edges(self) -> dp.Floats:
        return np.linspace(self.low, self.high, self.count + 1)


@dataclass(frozen=True, eq=False)
class GivenScores(dp.NotSaved):
    """Keeps each score."""

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> dp.Floats:
        """The scores of the individuals, (n,)."""
        return data.scores


@dataclass(frozen=True, eq=False)
class BinnedScores(dp.NotSaved):
    """Replaces each score by the middle of its bin."""

    bins: Bins

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> dp.Floats:
        """The middle of the bin of each score, (n,)."""
        return self.bins.middles[self.bins.places(data.scores)]


@dataclass(frozen=True, eq=False)
class MovedScores(dp.NotSaved):
    """Replaces each score by the middle of a bin drawn at random, given group and old bin."""

    bins: Bins
    # the probability of each new bin given the group and the old bin, (groups, bins, bins)
    moves: dp.Floats

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> dp.Floats:
        """The middle of the new bin of each individual, (n,).

        The draws are made for one group after the other, and within a group for one old bin after
        the other.
        """
        middles, places = self.bins.middles, self.bins.places(data.scores)
        found = np.empty(len(data))
        for group, place in np.ndindex(self.moves.shape[:2]):
            rows = np.flatnonzero((data.protected == group) & (places == place))
            if len(rows):
                found[rows] = rng.choice(middles, size=len(rows), p=self.moves[group, place])
        return found
