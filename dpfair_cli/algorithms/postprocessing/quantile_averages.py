"""Quantile averages: equal ranks in all groups get equal scores, without privacy.

Source: Chzhen et al. 2020, Algorithm 1, as xian2024 compares with it.
Differs: The order in which random numbers are drawn is ours. Ranks are those of the empirical
    distribution, and quantiles are its generalised inverse.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import NotNegativeFinite, checked
from dpfair_cli.kinds.group_scores import GroupScores
from dpfair_cli.models.postprocessing.score_quantiles import QuantileAverages, jittered

MACHINE_EPSILON = float(np.finfo(float).eps)


@checked
def fit(
    data: GroupScores, *, jitter: NotNegativeFinite = MACHINE_EPSILON, rng: np.random.Generator
) -> QuantileAverages:
    """The rule that replaces a score by the mean of the groups' quantiles at its rank.

    The scores of each group are divided at random into two halves: one for ranks, one for
    quantiles.

    Args:
        jitter: The largest random number that is added to a score, to break ties.
    """
    scores = jittered(data.scores, jitter, rng)
    of_groups = [scores[data.protected == group] for group in range(len(data.groups))]
    shuffled = [rng.permutation(values) for values in of_groups]
    return QuantileAverages(
        ranking=tuple(np.sort(values[: len(values) // 2]) for values in shuffled),
        quantiles=tuple(np.sort(values[len(values) // 2 :]) for values in shuffled),
        weights=np.array([len(values) for values in of_groups]) / max(len(data), 1),
        jitter=jitter,
    )


ALGORITHM = Algorithm(
    fit, source="Chzhen et al. 2020, Algorithm 1, as xian2024 compares with it", uses_groups=True
)
