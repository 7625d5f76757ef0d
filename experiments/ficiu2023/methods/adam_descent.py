"""Adam without privacy: a logistic regression or a small network, on batches in the order of rows.

Source: ficiu2023, S-NN and F-NN (Kingma and Ba 2015, Algorithm 1)
Differs: Features are scaled by public ranges. The last records are the validation part of the
    reject option, or are left out if there is none. The last batch of a pass has the remaining
    rows. With `copies` several models with other initial weights are trained at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

import dpfair_cli.plugin as dp

from ..models.adam_steps import DEFAULT_ADAM, AdamSchedule, descend
from ..models.perceptron_copies import (
    DecisionRule,
    PerceptronCopies,
    at_one_half,
    divided,
)
from ..models.perceptrons import LabelledRecords, Network, start


@dp.checked
def fit(
    records: dp.Records,
    *,
    decision: DecisionRule = "threshold",
    gaps: tuple[float, ...] = (-0.05, 0.05),
    validation_share: dp.Fraction = 0.2,
    network: Network = "logistic",
    copies: dp.Count = 1,
    training: AdamSchedule = DEFAULT_ADAM,
    context: dp.TrainingContext = dp.NO_CONTEXT,
    rng: np.random.Generator,
) -> PerceptronCopies:
    """The copies of the model after as many passes over the data as `training` says.

    Args:
        decision: Decision 1 above one half, or thresholds chosen on the validation records.
        gaps: The smallest and the largest difference of selection rates, group 0 minus the others,
            that the reject option allows on the validation records.
        validation_share: The share of the records, from the last, that is not trained on.
        network: Logistic regression, or a network with two hidden layers of six units.
        copies: The number of models that are trained at once.

    Raises:
        ValueError: a batch is larger than the training records, or `gaps` are not two numbers.
    """
    if len(gaps) != 2:
        raise ValueError(f"gaps must be two numbers, got {gaps}")
    train, validation = divided(records, validation_share=validation_share)
    labelled = LabelledRecords(train.X, train.y, network)

    def gradient(w: dp.Floats, batch: dp.Batch) -> dp.Floats:
        # no bound: nothing is released with noise
        return labelled.clipped_sum(w, batch.rows, math.inf) / len(batch.rows)

    initial = start(train.X.shape[1], network, copies=copies, rng=rng)
    parameters = descend(
        initial,
        gradient,
        _in_order(len(train), training),
        learning_rate=training.learning_rate,
        epochs=training.epochs,
        steps_per_epoch=training.batches_per_epoch(len(train)),
        context=context,
        rng=rng,
    )
    model = PerceptronCopies(parameters, network, at_one_half(copies))
    # the reject option alone reads the validation part
    if decision == "threshold":
        return model
    return model.with_reject_option(validation, gaps=gaps)


def _in_order(n: int, training: AdamSchedule) -> Iterator[dp.Batch]:
    """The batches of all passes over n records, in the order of the records."""
    rows, count = np.arange(n), training.batches_per_epoch(n)
    for _ in range(training.epochs):
        for k in range(count):
            first = k * training.batch_size
            yield dp.Batch(rows[first : first + training.batch_size], dp.ALL_RECORDS)


ALGORITHM = dp.Algorithm(
    fit,
    version=1,
    source="ficiu2023, S-NN and F-NN (Kingma and Ba 2015, Algorithm 1)",
    uses_groups=True,
)
