"""Logistic regression with intercept: the linear classifier with the least logistic loss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic_loss import (
    LogisticLoss,
    SignedRecords,
    minimum,
    minimum_from,
)

MOST_KEPT = 300_000  # records; the blocks of a larger table are made again for each step
BLOCK = 8_192  # records of a block, which fits into a processor's cache
# Newton's method starts at the optimum of a sample, which takes less time if records are many.
FEWEST_TO_SAMPLE = 10_000  # records
SAMPLED = 16  # every 16th record is in the sample, or fewer if MOST_IN_SAMPLE says so
MOST_IN_SAMPLE = 50_000  # records


@once_per_records
def logistic(records: Records, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least sum log(1 + exp(-(2y - 1)(x'w + b))) + l2 |w|^2/2.

    x are the features and y is the label of a record, w are the weights and b is the intercept. If
    all records have the same label, the classifier always predicts this label.
    """
    # without a penalty on the intercept the loss has no minimum for one label
    if records.y.min() == records.y.max():
        return LinearClassifier(np.zeros(records.X.shape[1]), 2.0 * records.y[0] - 1)
    return weighted_logistic(records, np.ones(len(records)), l2=l2)


def weighted_logistic(records: Records, weights: Floats, *, l2: float) -> LinearClassifier:
    """The linear classifier with the least weighted and regularised logistic loss.

    The loss of record i is multiplied by weights[i]; `weights` has the shape (n,). The records must
    have both labels.
    """
    n, d = records.X.shape
    # divided by n, because the loss is a mean here and a sum in the papers
    penalties = np.append(np.full(d, l2 / n), 0.0)  # the intercept is not penalised
    table = _WeightedRecords(records.X, records.y, weights)
    blocks = table if n > MOST_KEPT else list(table)
    loss = LogisticLoss(blocks, n, penalties)
    optimum = minimum(loss) if n < FEWEST_TO_SAMPLE else _minimum_of_many(table, loss)
    *rule, intercept = optimum
    return LinearClassifier(np.array(rule), float(intercept))


@dataclass(frozen=True, eq=False)
class _WeightedRecords:
    """Records with weights, whose blocks are made when they are read."""

    X: Floats  # the features, (n, d)
    y: Ints  # the labels, (n,)
    weights: Floats  # the weight of each record in the mean loss, (n,)

    def __iter__(self) -> Iterator[SignedRecords]:
        for first in range(0, len(self.X), BLOCK):
            yield self.signed(slice(first, first + BLOCK))

    def signed(self, rows: slice) -> SignedRecords:
        """Some of the records, with a last feature 1 for the intercept."""
        X = self.X[rows]
        signed = np.column_stack([X, np.ones(len(X))])  # (rows, d + 1)
        signed *= (2.0 * self.y[rows] - 1)[:, None]  # in place: no second copy
        return SignedRecords(signed, self.weights[rows])


def _minimum_of_many(table: _WeightedRecords, loss: LogisticLoss) -> Floats:
    """The weights and the intercept with the least loss of many records, (d + 1,).

    Newton's method starts at the minimum of a sample of the records. Where this is close, it then
    reads all records three to six times. Where it is worse than zero, the method starts at zero,
    and also if the sample lacks a label, because it has no minimum then.
    """
    n = len(table.X)
    sample = slice(None, None, max(SAMPLED, -(-n // MOST_IN_SAMPLE)))
    labels = table.y[sample][table.weights[sample] > 0]
    if labels.all() or not labels.any():
        return minimum(loss)
    some = table.signed(sample)
    start = loss.at(minimum(LogisticLoss((some,), len(some.signed), loss.penalties)))
    loss_at_zero = math.log(2) * table.weights.mean()
    return minimum_from(start, loss) if start.loss < loss_at_zero else minimum(loss)


def independence_weights(records: Records) -> Floats:
    """The weight P(s) P(y) / P(s, y) of each record with group s and label y, (n,).

    The sum of the weights is n.

    Raises:
        ValueError: a group has no record with one of the labels.
    """
    counts = np.zeros((len(records.domain.groups), 2))  # (groups, labels)
    np.add.at(counts, (records.protected, records.y), 1)
    wanted = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(records)
    for group, label in np.argwhere((counts == 0) & (wanted > 0)):
        raise ValueError(
            "every group must have records of both labels, but group "
            f"{records.domain.groups[group]!r} has none with label {label}"
        )
    return np.asarray(wanted[records.protected, records.y] / counts[records.protected, records.y])
