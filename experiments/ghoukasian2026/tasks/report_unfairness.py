"""The data unfairness of the reports of a method, by their law: nothing is drawn.

The shares of levels and labels are those of all records. A method that reads the attribute itself
has the data unfairness of the attribute.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp

from ..models.data_unfairness import data_unfairness
from ..models.reported_rule import ReportedRule
from .script_scores import AllRecords, split


def score(rule: ReportedRule, case: AllRecords) -> dict[str, float]:
    """The data unfairness of the reports that the rule was fitted to."""
    records = case.train
    levels = records.X[:, records.level_columns].argmax(axis=1)  # (n,)
    counts = np.zeros((2, 2))  # (levels, labels)
    np.add.at(counts, (levels, records.y), 1)
    return {"data_unfairness": data_unfairness(rule.law, counts / len(records))}


TASK = dp.Study(
    split=split,
    study=dp.fitted_once(score),
    scores=("data_unfairness",),
    unbounded=("data_unfairness",),
    ranges={"data_unfairness": (0.0, np.inf)},
    result=ReportedRule,
    exact=True,
)
