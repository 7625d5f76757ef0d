"""Copies of a model on one split: each run is a split, and its scores are means over the copies.

ficiu2023 trains twenty models on one split. A run here does the same with the copies of a method,
and another run has another split. The scores are

    accuracy                       mean accuracy of the copies on the test records
    demographic_parity_difference  mean absolute gap of the copies' selection rates
    selection_rate                 mean selection rate of the copies
    majority_accuracy              accuracy of the more frequent label
    accuracy_spread, gap_spread    standard deviations of the copies' accuracies and gaps
    epsilon_central_limit          epsilon of one copy by the central limit, as in the paper
    epsilon_pld                    epsilon of one copy by a nearly exact accountant

The epsilons are those of the noisy gradients alone. They are NaN for a method without noise, and
they say nothing about steps that read the records without noise.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.mechanisms.accounting.accountant import (
    NoisySteps,
    central_limit_epsilon,
    spent_epsilon,
)
from dpfair_cli.metrics import classification as metrics
from dpfair_cli.tasks.classification import TrainTestSplit

from ..models.perceptron_copies import PerceptronCopies

MEASURED = ("accuracy", "demographic_parity_difference", "selection_rate", "majority_accuracy")
SCORES = (
    *MEASURED,
    "accuracy_spread",
    "gap_spread",
    "epsilon_central_limit",
    "epsilon_pld",
)
RecordOrder = Literal["shuffled", "as_given"]
"""A random order of the records, or that of the data set."""


@dp.checked
def split(
    records: dp.Records,
    *,
    test_share: dp.Fraction = 0.2,
    order: RecordOrder = "shuffled",
    rng: np.random.Generator,
) -> TrainTestSplit:
    """The records after the test part to fit to, and the test part, which comes first.

    The number of records to fit to is rounded down.

    Args:
        records: The records of the data set.
        test_share: The share of the records that is held out.
        order: Whether the records are shuffled or stay in their order.
        rng: The source of randomness.

    Raises:
        ValueError: a part would be empty.
    """
    n = len(records)
    places = rng.permutation(n) if order == "shuffled" else np.arange(n)
    held_out = n - int((1 - test_share) * n)
    if not 0 < held_out < n:
        raise ValueError(
            f"`test_share` must leave records to train on and to test on, got {test_share} of {n} "
            "records: use another share or more records"
        )
    return TrainTestSplit(
        train=records.take(places[held_out:]), test=records.take(places[:held_out])
    )


def study(fit: dp.BoundFit, case: TrainTestSplit, *, rng: np.random.Generator) -> dp.Outcome:
    """The fitted copies and their scores.

    Raises:
        ValueError: the method does not fit copies.
    """
    model = fitted_copies(fit, case.train, rng)
    measured = of_each_copy(model, case.test)  # (copies, scores)
    scores = dict(zip(MEASURED, measured.mean(axis=0).tolist(), strict=True))
    spreads = measured[:, :2].std(axis=0, ddof=1).tolist() if len(measured) > 1 else [math.nan] * 2
    # a method without noise has no delta
    delta = float(fit.params.get("delta", math.nan))
    return dp.Outcome(
        model,
        scores
        | dict(zip(("accuracy_spread", "gap_spread"), spreads, strict=True))
        | epsilons(model.noisy_steps, delta),
    )


def fitted_copies(
    fit: dp.BoundFit, records: dp.Records, rng: np.random.Generator
) -> PerceptronCopies:
    """The fitted copies.

    Raises:
        ValueError: the method does not fit copies.
    """
    model = fit(records, rng=rng)
    if not isinstance(model, PerceptronCopies):
        raise ValueError(
            f"the task copies_on_split scores copies of a model, and {fit.name} fits none: use "
            "dpsgd_adam, pfairdp or adam_descent"
        )
    return model


def of_each_copy(model: PerceptronCopies, test: dp.Records) -> dp.Floats:
    """The scores MEASURED of each copy on the test records, (copies, scores)."""
    groups = len(test.domain.groups)
    tables = [
        metrics.tabulate(decision, test.y, test.protected, groups=groups)
        for decision in model.decisions(test)
    ]
    return np.array([[getattr(metrics, name)(table) for name in MEASURED] for table in tables])


def epsilons(steps: NoisySteps, delta: float) -> dict[str, float]:
    """The epsilon of the steps by the central limit and by the accountant; NaN without noise."""
    if not steps.steps or not steps.noise_multiplier:
        return {"epsilon_central_limit": math.nan, "epsilon_pld": math.nan}
    return {
        "epsilon_central_limit": central_limit_epsilon(steps, delta),
        "epsilon_pld": _spent(steps, delta),
    }


# every run of a method has the same steps, and an account takes long
@cache
def _spent(steps: NoisySteps, delta: float) -> float:
    return spent_epsilon([steps], delta)


TASK = dp.Study(
    split=split,
    study=study,
    scores=SCORES,
    result=PerceptronCopies,
    ranges={"accuracy_spread": (0.0, 1.0), "gap_spread": (0.0, 1.0)},
)
