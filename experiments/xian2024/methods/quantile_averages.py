"""Quantile averages: equal ranks in all groups get equal scores, without privacy.

Source: Chzhen et al. 2020, Algorithm 1, as xian2024 compares with it.
Differs: As in the code of xian2024, the jitter is normal with the standard deviation 2.2e-16, the
    rank of a score is the share of smaller scores, and the half for ranks has the odd score. So
    small a jitter is lost in rounding for most scores above 1, and ties remain.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..models.group_scores import GroupScores
from ..models.score_quantiles import QuantileAverages, tie_breakers

MACHINE_EPSILON = float(np.finfo(float).eps)


@dp.checked
def fit(
    data: GroupScores, *, jitter: dp.NotNegativeFinite = MACHINE_EPSILON, rng: np.random.Generator
) -> QuantileAverages:
    """The rule that replaces a score by the mean of the groups' quantiles at its rank.

    The scores of each group are divided at random into two halves: one for ranks, one for
    quantiles.

    Args:
        jitter: The standard deviation of a normal number that is added to a score, to break ties.
    """
    scores = data.scores + tie_breakers(len(data), jitter, rng)
    of_groups = [scores[data.protected == group] for group in range(len(data.groups))]
    shuffled = map(rng.permutation, of_groups)
    halves = [np.array_split(values, 2) for values in shuffled]
    # a group of one has no quantiles, and so no weight
    sizes = np.array([len(values) * (len(values) > 1) for values in of_groups])  # two halves
    return QuantileAverages(
        ranking=tuple(np.sort(first) for first, _ in halves),
        quantiles=tuple(np.sort(second) for _, second in halves),
        weights=sizes / max(sizes.sum(), 1),
        jitter=jitter,
    )


ALGORITHM = dp.Algorithm(
    fit, source="Chzhen et al. 2020, Algorithm 1, as xian2024 compares with it", uses_groups=True
)
