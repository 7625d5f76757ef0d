"""A rule that gives equal ranks in all groups equal scores: the mean of the groups' quantiles.

Source: Chzhen et al. 2020 (Fair regression with Wasserstein barycenters), Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.results import NotSaved
from dpfair_cli.kinds.group_scores import GroupScores


@dataclass(frozen=True, eq=False)
class QuantileAverages(NotSaved):
    """Replaces a score by the mean, over all groups, of the quantile at its rank in its own group.

    A group without known scores ranks all its scores at 0, and does not count in the mean.
    """

    ranking: tuple[Floats, ...]
    """For each group, the ascending scores among which a score is ranked."""
    quantiles: tuple[Floats, ...]
    """For each group, the ascending scores from which a quantile is taken."""
    weights: Floats
    """The share of each group, (groups,)."""
    jitter: float
    """The largest random number that is added to a score before it is ranked, to break ties."""

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> Floats:
        """The mean quantile at the rank of each score, (n,); ties are broken at random."""
        scores = jittered(data.scores, self.jitter, rng)
        ranks = np.zeros(len(data))
        for group, known in enumerate(self.ranking):
            rows = data.protected == group
            below = np.searchsorted(known, scores[rows], side="right")
            ranks[rows] = below / max(len(known), 1)
        present = [group for group, known in enumerate(self.quantiles) if len(known)]
        total = sum(self.weights[group] * quantile(self.quantiles[group], ranks) for group in present)
        return np.asarray(total / self.weights[present].sum())


def jittered(scores: Floats, jitter: float, rng: np.random.Generator) -> Floats:
    """The scores plus uniform random numbers from -jitter to jitter, (n,)."""
    return np.asarray(scores + rng.uniform(-jitter, jitter, size=len(scores)))


def quantile(ascending: Floats, ranks: Floats) -> Floats:
    """The smallest of the values below which, or at which, there is a share of at least a rank.

    >>> quantile(np.array([1.0, 2.0, 5.0]), np.array([0.0, 0.3, 0.34, 1.0]))
    array([1., 1., 2., 5.])
    """
    places = np.ceil(ranks * len(ascending)).astype(int) - 1
    return ascending[np.clip(places, 0, len(ascending) - 1)]
