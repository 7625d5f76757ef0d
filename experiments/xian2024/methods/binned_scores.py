"""Binned scores: each score becomes the middle of its bin, with neither privacy nor fairness.

Source: xian2024, binning (alpha = 1).
Differs: With alpha = 1 the linear program of the paper moves no score; it is not solved here.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Count, checked

from ..models.group_scores import GroupScores
from ..models.score_rules import BinnedScores, Bins


@checked
def fit(data: GroupScores, *, bins: Count = 12, rng: np.random.Generator) -> BinnedScores:
    """The rule that replaces each score by the middle of its bin; `rng` is not used.

    Args:
        bins: The number of bins of equal width of the range of scores.
    """
    return BinnedScores(Bins(data.low, data.high, bins))


ALGORITHM = Algorithm(fit, source="xian2024, binning (alpha = 1)")
