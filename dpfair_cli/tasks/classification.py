"""Classification: accuracy and fairness of decisions on held-out records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.declarations import Study, Sweep
from dpfair_cli.contracts.parameters import Fraction, checked
from dpfair_cli.contracts.results import Classifier, ScoredTogether
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.metrics import classification as metrics

SCORES = (
    "accuracy",
    "majority_accuracy",
    "selection_rate",
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "accuracy_difference",
)


@dataclass(frozen=True, eq=False)
class RandomSplit:
    """Records for training and records for testing, in memory or in partitions."""

    train: Records | PartitionedRecords  # the records to which a method is fitted
    test: Records | PartitionedRecords  # the records on which the model is scored


@dataclass(frozen=True, eq=False)
class TrainTestSplit(RandomSplit):
    """Records for training and records for testing, in memory."""

    train: Records  # the records to which a method is fitted
    test: Records  # the records on which the model is scored


@checked
def split(
    records: Records | PartitionedRecords,
    *,
    test_fraction: Fraction = 0.2,
    rng: np.random.Generator,
) -> RandomSplit:
    """A uniformly random split into training and test records."""
    train, test = shuffled_rows(len(records), test_fraction, rng=rng)
    return RandomSplit(records.take(train), records.take(test))


def shuffled_rows(n: int, test_fraction: float, *, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The indices of the training records and of the test records, of n records in random order.

    Raises:
        ValueError: the training part or the test part would be empty.
    """
    held_out = round(test_fraction * n)
    if not 0 < held_out < n:
        raise ValueError(
            "`test_fraction` must leave records to train on and to test on, got "
            f"{test_fraction} of {n} records: use another fraction or more records"
        )
    # one permutation: the same seed splits all methods alike, and no record is in both parts
    order = rng.permutation(n)
    return order[held_out:], order[:held_out]


def score(model: Classifier, case: RandomSplit) -> dict[str, float]:
    """The scores of a classifier on the held-out records, by name."""
    (scores,) = score_all([model], case)
    return scores


def score_all(models: Sequence[Classifier], case: RandomSplit) -> list[dict[str, float]]:
    """The scores of each classifier on the held-out records, by name."""
    # all scores follow from these counts, and counts of partitions can be added up
    counts = total(case.test, partial(_decision_counts, models=tuple(models)))
    return [*map(_scores, counts)]


def _scores(counts: Floats) -> dict[str, float]:
    return {name: getattr(metrics, name)(counts) for name in SCORES}


def _decision_counts(records: Records, *, models: Sequence[Classifier]) -> Floats:
    """The number of records with each group, label and decision, (models, groups, 2, 2)."""
    y, protected, groups = records.y, records.protected, len(records.domain.groups)
    # all models in one pass over a partition, which is read from disk
    return np.stack(
        [metrics.tabulate(model.predict(records), y, protected, groups=groups) for model in models]
    )


TASK = Study(
    split=split,
    study=ScoredTogether(score_all),
    scores=SCORES,
    sweep=Sweep(
        title="Accuracy and risk difference",
        methods=("dp_whitened_descent", "dp_fair_descent"),
        values=("accuracy", "demographic_parity_difference"),
        also=("selection_rate", "majority_accuracy"),
        panels=("accuracy", "demographic_parity_difference"),
        labels={"accuracy": "accuracy", "demographic_parity_difference": "risk difference"},
        reference_methods=("logistic_regression", "majority_class"),
        baselines={"accuracy": "majority_accuracy"},
    ),
)
