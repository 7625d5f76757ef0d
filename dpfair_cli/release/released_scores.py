"""Scores that may be published: accuracy and gaps, computed from noisy counts of held-out records.

The held-out records are counted by group, label and decision. Every count gets Laplace noise, and
all scores are computed from the noisy counts.

Proof. The split into training and held-out records is drawn without a look at their values. Let two
tables differ in one record, which is replaced.

- If the record is held out, the model does not depend on it. Given the model, every record adds
  numbers with sum 1 to the counts, 1 - p and p for the probability p of decision 1. A replaced
  record changes the counts by at most 2 in L1 (mechanisms/sensitivity/counts.py). With Laplace
  noise of scale 2 / epsilon the noisy counts are epsilon-differentially private (Dwork, McSherry,
  Nissim and Smith 2006), and the scores are post-processing of them.
- If the model was fitted to the record, the counts depend on the record only through the model,
  which its own guarantee covers.

By basic composition, the model and the scores together have the sum of the two epsilons, and the
delta of the model. The number of held-out records and the list of groups are public.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import L1_REPLACED
from dpfair_cli.metrics import classification as metrics

STUDY = "classification"  # the task whose held-out records are counted
SCORES = (
    "accuracy",
    "selection_rate",
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "accuracy_difference",
)
PROMISE = Guarantee(
    released="the scores",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records and the list of groups",
    status=Status.PROVED,
    proof="release/released_scores.py",
)


def noisy_scores(
    model: Any, test: Records | PartitionedRecords, *, epsilon: float, rng: np.random.Generator
) -> Mapping[str, float]:
    """The noisy scores of a classifier on held-out records, by name.

    A score is NaN if a noisy count that it is divided by is not positive.
    """
    counts = decision_counts(model, test)
    noisy = laplace(counts, l1_sensitivity=L1_REPLACED, epsilon=epsilon, rng=rng)
    possible = np.maximum(noisy, 0.0)  # post-processing: a count is never negative
    with np.errstate(invalid="ignore"):  # 0 / 0 if no count is positive
        return {name: getattr(metrics, name)(possible) for name in SCORES}


def decision_counts(model: Any, test: Records | PartitionedRecords) -> Floats:
    """The number of held-out records by group, label and decision of a model, (groups, 2, 2)."""
    counts: Floats = total(test, partial(_counts_of_part, model=model))
    return counts


def _counts_of_part(test: Records, *, model: Any) -> Floats:
    return held_out_counts(model.predict(test), test)


def held_out_counts(decision: ArrayLike, test: Records) -> Floats:
    """The number of held-out records by group, label and decision, (groups, 2, 2).

    `decision` is the probability of decision 1, (n,). A value outside [0, 1] is moved to the
    nearer end, and NaN to 0, so that no record counts more than once.
    """
    bounded = np.clip(np.nan_to_num(np.asarray(decision, dtype=float), nan=0.0), 0.0, 1.0)
    return metrics.tabulate(bounded, test.y, test.protected, groups=len(test.domain.groups))


def correct(counts: Floats) -> float:
    """The number of held-out records whose decision equals the label; one record changes it by 1.

    `counts` are those of `held_out_counts`.
    """
    return float(counts[:, 0, 0].sum() + counts[:, 1, 1].sum())
