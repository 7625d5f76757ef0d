"""Decisions about all original records, by a regression fitted to a stored synthetic table.

Run k reads the synthetic table with number k. The scores are in `models/notebook_scores.py`.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..methods.stored_classifier import RoundedRegression
from ..models import notebook_scores
from ..models.stored_tables import LEVELS
from .stored_distances import NumberedTables, split

SEX = [*LEVELS].index("sex")


def score(model: RoundedRegression, case: NumberedTables) -> dict[str, float]:
    """The scores of the decisions about the original records, by name."""
    table = case.train.original
    admissible = table[:, list(model.conditions)]
    cells = np.unique(admissible, axis=0, return_inverse=True)[1].ravel()
    decisions = model.decide(table[:, :-1])
    return notebook_scores.score(decisions, table[:, -1], table[:, SEX], cells)


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=notebook_scores.SCORES,
    # with the divisors of the notebooks the last one can exceed 1
    ranges={**dict.fromkeys(notebook_scores.SCORES, (0.0, 1.0)), "accuracy_parity": (0.0, np.inf)},
    result=RoundedRegression,
)
