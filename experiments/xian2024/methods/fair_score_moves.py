"""Fair score moves: scores move between bins at random, so that groups have similar scores.

Source: xian2024, private post-processing with the Kolmogorov-Smirnov distance.
Differs: The linear program is solved by HiGHS in place of Gurobi. A group without noisy share has
    the weight 1e-6, and a bin without mass keeps its scores, as in the authors' code.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.parameters import Count, Epsilon, NotNegative, checked
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.group_histogram import l1_group_histogram

from ..models.fair_scores import cheapest_moves, distributions
from ..models.group_scores import GroupScores
from ..models.score_rules import Bins, MovedScores


@checked
def fit(
    data: GroupScores,
    *,
    epsilon: Epsilon = 1.0,
    alpha: NotNegative = 0.0,
    bins: Count = 12,
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
    noisy = laplace(  # release
        shares, l1_sensitivity=l1_group_histogram(len(data)), epsilon=epsilon, rng=rng
    )
    return MovedScores(cells, cheapest_moves(distributions(noisy), alpha))  # post-process


ALGORITHM = Algorithm(
    fit,
    source="xian2024, private post-processing with the Kolmogorov-Smirnov distance",
    guarantee=Guarantee(
        released="the noisy histogram and the moves",
        neighbours=Neighbours.REPLACE_ONE,
        remark="protected attribute included",
        public="the number of records, the groups and the range of the scores",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/group_histogram.py",
    ),
    uses_groups=True,
)
