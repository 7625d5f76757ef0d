"""Classification that also ranks: area under the ROC curve, and differences of groups.

The records are divided at random into a training, a validation and a test part. A method is fitted
to the training part. Settings are chosen by the scores on the validation part; all other numbers
are scores on the test part. Beside the scores of the task classification:

    auc                    area under the ROC curve of the weighted sum of the features of a linear
                           rule, or of the probability of decision 1 of another classifier
    auc_difference         largest minus smallest area of a group
    precision_difference   largest minus smallest share of label 1 among the decisions 1 of a group
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

import dpfair_cli.plugin as dp
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.tasks.classification import SCORES as DECISION_SCORES

SCORES = ("auc", "auc_difference", "precision_difference", *DECISION_SCORES)
Part = Literal["validation", "test"]


@dataclass(frozen=True, eq=False)
class TrainScoredSplit:
    """Records for training and records for scoring."""

    train: dp.Records  # the records to which a method is fitted
    scored: dp.Records  # the validation records or the test records


@dp.checked
def split(
    records: dp.Records,
    *,
    test_fraction: dp.Fraction = 0.2,
    validation_fraction: dp.Fraction = 0.2,
    part: Part = "test",
    rng: np.random.Generator,
) -> TrainScoredSplit:
    """A uniformly random division into three parts, of which `part` is scored.

    Raises:
        ValueError: a part would be empty.
    """
    held_out = round(test_fraction * len(records))
    validated = held_out + round(validation_fraction * len(records))
    if not 0 < held_out < validated < len(records):
        raise ValueError(
            "`test_fraction` and `validation_fraction` must leave records for three parts, got "
            f"{test_fraction} and {validation_fraction} of {len(records)} records"
        )
    # one order for both parts: runs that choose settings and runs that score share a split
    order = rng.permutation(len(records))
    ends = {"test": order[:held_out], "validation": order[held_out:validated]}
    return TrainScoredSplit(records.take(order[validated:]), records.take(ends[part]))


def score(model: dp.Classifier, case: TrainScoredSplit) -> dict[str, float]:
    """The scores of a classifier on the scored records, by name."""
    scored, groups = case.scored, len(case.scored.domain.groups)
    margin = _margin(model, scored)  # (m,)
    areas = [
        auc(margin[scored.protected == group], scored.y[scored.protected == group])
        for group in range(groups)
    ]
    counts = metrics.tabulate(model.predict(scored), scored.y, scored.protected, groups=groups)
    selected = counts[:, :, 1]  # (groups, labels)
    total = selected.sum(axis=1)
    # a group without decision 1 has no precision
    precision = np.divide(selected[:, 1], total, out=np.full(groups, np.nan), where=total > 0)
    return {
        "auc": auc(margin, scored.y),
        "auc_difference": float(np.ptp(areas)),
        "precision_difference": float(np.ptp(precision)),
        **{name: getattr(metrics, name)(counts) for name in DECISION_SCORES},
    }


def _margin(model: dp.Classifier, records: dp.Records) -> dp.Floats:
    """The weighted sum of the features of each record, (m,).

    A classifier that is no linear rule ranks by its probabilities of decision 1.
    """
    if isinstance(model, dp.LinearRule):
        return np.asarray(records.X @ model.weights + model.intercept)
    return model.predict(records)


def auc(margin: dp.Floats, y: dp.Ints) -> float:
    """The probability that a record with label 1 has the larger margin; ties count as a half.

    NaN if all records have the same label.
    """
    positives = int(y.sum())
    negatives = len(y) - positives
    if not positives or not negatives:
        return float("nan")
    # Mann and Whitney: the ranks of label 1, less those that they have among themselves
    above = scipy.stats.rankdata(margin)[y == 1].sum() - positives * (positives + 1) / 2
    return float(above / (positives * negatives))


TASK = dp.Study(split=split, study=dp.fitted_once(score), scores=SCORES)
