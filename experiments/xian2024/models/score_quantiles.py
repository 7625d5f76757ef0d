"""A rule that gives equal ranks in all groups equal scores: the mean of the groups' quantiles.

Source: Chzhen et al. 2020 (Fair regression with Wasserstein barycenters), Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dpfair_cli.plugin as dp

from .group_scores import GroupScores


@dataclass(frozen=True, eq=False)
class QuantileAverages(dp.NotSaved):
    """Replaces a score by the mean, over all groups, of the quantile at its rank in its own group.

    A score of a group without known scores has the rank 0.
    """

    # for each group, the ascending scores among which a score is ranked
    ranking: tuple[dp.Floats, ...]
    # for each group, the ascending scores from which a quantile is taken
    quantiles: tuple[dp.Floats, ...]
    # the weight of each group in the mean, (groups,); 0 for a group without quantiles
    weights: dp.Floats
    jitter: float  # the standard deviation of a number that is added to a score before it is ranked

    def new_scores(self, data: GroupScores, *, rng: np.random.Generator) -> dp.Floats:
        """The mean quantile at the rank of each score, (n,).

        The rank is the share of smaller scores of the group. Ties are broken at random, as far as
        the jitter is not lost in rounding.
        """
        scores = data.scores + tie_breakers(len(data), self.jitter, rng)
        ranks = np.zeros(len(data))
        for group, known in enumerate(self.ranking):
            rows = data.protected == group
            below = np.searchsorted(known, scores[rows], side="left")
            ranks[rows] = below / max(len(known), 1)
        return np.asarray(self.weights @ [quantile(known, ranks) for known in self.quantiles])


def tie_breakers(count: int, jitter: float, rng: np.random.Generator) -> dp.Floats:
    """Normal random numbers with the standard deviation `jitter`, (count,)."""
    return rng.normal(scale=jitter, size=count)


def quantile(ascending: dp.Floats, ranks: dp.Floats) -> dp.Floats:
    """The smallest of the values below which, or at which, there is a share of at least a rank.

    Without values, all quantiles are 0.

    >>> quantile(np.array([1.0, 2.0, 5.0]), np.array([0.0, 0.3, 0.34, 1.0]))
    array([1., 1., 2., 5.])
    """
    if not len(ascending):
        return np.zeros(len(ranks))
    places = np.ceil(ranks * len(ascending)).astype(int) - 1
    return np.asarray(ascending[np.clip(places, 0, len(ascending) - 1)])
