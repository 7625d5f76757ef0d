"""Fair score moves: scores move between bins at random, so that groups have similar scores.

Source: xian2024, private post-processing with the Kolmogorov-Smirnov distance.
Differs: The linear program is solved by HiGHS in place of Gurobi. A group without noisy share has
    the weight 1e-6, and a bin without mass keeps its scores, as in the authors' code.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.sensitivity.group_histogram import l1_group_histogram

from ..models.fair_scores import cheapest_moves, distributions
from ..models.group_scores import GroupScores
from ..models.score_rules import Bins, MovedScores


@dp.checked
def fit(
    data: GroupScores,
    *,
    epsilon: dp.Epsilon = 1.0,
    alpha: dp.NotNegative = 0.0,
    bins: dp.Count = 12,
    rng: np.random.Generator,
) -> MovedScores:
    """The cheapest random moves between bins that make the distributions of the groups similar.

    Args:
        alpha: The largest Kolmogorov-Smirnov distance between two groups that is allowed.
        bins: The number of bins of equal width of the range of scores.
    """
    cells = Bins(data.low, data.high, bins)
    shares = np.zeros((len(data.groups), bins))
    np.add.at(shares, (data.protected, cells.places(data.scores)), 1)
    shares /= max(len(data), 1)  # query: one record changes two cells by 1/n
    noisy = dp.laplace(  # release
        shares, l1_sensitivity=l1_group_histogram(len(data)), epsilon=epsilon, rng=rng
    )
    return MovedScores(cells, cheapest_moves(distributions(noisy), alpha))  # post-process


ALGORITHM = dp.Algorithm(
    fit,
    source="xian2024, private post-processing with the Kolmogorov-Smirnov distance",
    guarantee=dp.Guarantee(
        released="the noisy histogram and the moves",
        neighbours=dp.Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records, the groups and the range of the scores",
        status=dp.Status.PROVED,
        proof="mechanisms/sensitivity/group_histogram.py",
    ),
    uses_groups=True,
)
