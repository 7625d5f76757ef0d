"""A classifier scored on all real records, which are also the training records.

Source: xu2021, Section 6.4.1.3, which scores classifiers in this way. For classifiers as simple as
logistic regression, the difference from scores on held-out records is small.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.declarations import Study
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.results import Classifier, fitted_once
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.tasks.classification import TrainTestSplit

SCORES = (
    "accuracy",
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "false_positive_rate_difference",
    "selection_rate",
    "majority_accuracy",
)


@checked
def split(records: Records, *, rng: np.random.Generator) -> TrainTestSplit:
    """All records, for fitting and scoring; `rng` is not used."""
    return TrainTestSplit(train=records, test=records)


def score(model: Classifier, case: TrainTestSplit) -> dict[str, float]:
    """The scores of a classifier on its training records, by name."""
    test, groups = case.test, len(case.test.domain.groups)
    counts = metrics.tabulate(model.predict(test), test.y, test.protected, groups=groups)
    return {name: getattr(metrics, name)(counts) for name in SCORES}


TASK = Study(split=split, study=fitted_once(score), scores=SCORES)
