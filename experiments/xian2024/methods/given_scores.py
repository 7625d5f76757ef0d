"""Given scores: the scores without any post-processing.

Source: xian2024, no postprocessing.
Differs: There is nothing to differ in.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..models.group_scores import GroupScores
from ..models.score_rules import GivenScores


@dp.checked
def fit(data: GroupScores, *, rng: np.random.Generator) -> GivenScores:
    """The rule that keeps each score; `rng` is not used."""
    return GivenScores()


ALGORITHM = dp.Algorithm(fit, source="xian2024, no postprocessing")
