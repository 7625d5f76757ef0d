"""Classification scored on the training records, as jagielski2019 does: error against unfairness.

The violation of fairness is that of the paper: the largest difference of the true or false positive
rate of a group from that of group 0.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Classifier, fitted_once
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.tasks.classification import TrainTestSplit

SCORES = ("error", "equalized_odds_violation", "selection_rate", "majority_accuracy", "fallback")


@checked
def split(records: Records, *, rng: np.random.Generator) -> TrainTestSplit:
    """All records, for fitting and scoring; `rng` is not used.

    Raises:
        ValueError: a group has no record with one of the labels, so that a rate is undefined.
    """
    groups = len(records.domain.groups)
    counts = metrics.tabulate(np.zeros(len(records)), records.y, records.protected, groups=groups)
    cell_sizes = counts.sum(axis=2)  # (groups, 2)
    for group, name in enumerate(records.domain.groups):
        # a rate of no records has no value
        for label in (0, 1):
            if cell_sizes[group, label] == 0:
                raise ValueError(
                    "every group must have records of both labels for equalized odds, but "
                    f"group {name!r} has none with label {label}"
                )
    return TrainTestSplit(train=records, test=records)


def score(model: Classifier, case: TrainTestSplit) -> dict[str, float]:
    """The scores of a classifier on its training records, by name.

    `fallback` is 1 if the fit used the fallback of the method.
    """
    test, groups = case.test, len(case.test.domain.groups)
    counts = metrics.tabulate(model.predict(test), test.y, test.protected, groups=groups)
    return {
        "error": 1 - metrics.accuracy(counts),
        "equalized_odds_violation": metrics.equalized_odds_violation(counts),
        "selection_rate": metrics.selection_rate(counts),
        "majority_accuracy": metrics.majority_accuracy(counts),
        "fallback": float(getattr(model, "fallback", 0.0)),
    }


TASK = Study(split=split, study=fitted_once(score), scores=SCORES)
