"""The cheapest way to make discrete distributions equal, without a linear program.

At each level of probability, every group has one bin (its quantile), and all groups move to the
same new bin, the cheapest one. Pairing equal levels is optimal: the cost of the cheapest new bin is
a sum of terms of single groups and minus a convex function of the mean quantile, which is
submodular, and for submodular costs the monotone coupling is optimal.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def mean_quantile_cost(weights, shares):
    """The least weighted mean of the squared distances in bins, for the distance 0 of groups.

    Args:
        weights: the weights of the groups, (groups,).
        shares: the distribution of each group over the bins, (groups, bins).
    """
    cumulative = np.cumsum(shares, axis=1)
    ends = np.unique(np.round([0.0, *cumulative.ravel()], 12))
    cost = 0.0
    for low, high in pairwise(ends):
        level = (low + high) / 2
        places = np.array([int((row < level).sum()) for row in cumulative])
        candidates = [
            float(weights @ (places - place) ** 2.0) for place in range(cumulative.shape[1])
        ]
        cost += (high - low) * min(candidates)
    return cost
