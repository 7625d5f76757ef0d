"""Binned scores: each score becomes the middle of its bin, with neither privacy nor fairness.

Source: xian2024, binning (alpha = 1).
Differs: With alpha = 1 the linear program of the paper moves no score; it is not solved here.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..models.group_scores import GroupScores
from ..models.score_rules import BinnedScores, Bins


@dp.checked
def fit(data: GroupScores, *, bins: dp.Count = 12, rng: np.random.Generator) -> BinnedScores:
    """The rule that replaces each score by the middle of its bin; `rng` is not used.

    Args:
        bins: The number of bins of equal width of the range of scores.
    """
    return BinnedScores(Bins(data.low, data.high, bins))


ALGORITHM = dp.Algorithm(fit, source="xian2024, binning (alpha = 1)")
