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

An interval of a score is post-processing too: it follows from the noisy counts and epsilon. It
misses the exact score of the held-out records with probability 0.05; it says nothing about other
records. Let A and B be the noisy numbers of successes and failures in a group, sums of a and b
counts. For the exact rate p, the number (1 - p) A - p B is noise alone, with the deviation
s = 2 sqrt(2 ((1 - p)^2 a + p^2 b)) / epsilon. The interval has the p for which this number is at
most s ln(1 / level) / sqrt(2), the bound for one Laplace variable, which weighted sums of Laplace
variables of the same deviation exceed less often (tests/release/test_released_scores.py). The
interval of a gap follows from those of the groups, which share the level.

By basic composition, the model and the scores together have the sum of the two epsilons, and the
delta of the model. The number of held-out records and the list of groups are public.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
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
from dpfair_cli.metrics.group_rates import LEVEL, RATES

STUDY = "classification"  # the task whose held-out records are counted
SCORES = (
    "accuracy",
    "selection_rate",
    "demographic_parity_difference",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "accuracy_difference",
)
TOTALS = {"accuracy": "accuracy", "selection_rate": "selection rate"}  # rates over all groups
GAPS = {  # the rates of which a score is the largest gap
    "demographic_parity_difference": ("selection rate",),
    "equal_opportunity_difference": ("true positive rate",),
    "equalized_odds_difference": ("true positive rate", "false positive rate"),
    "accuracy_difference": ("accuracy",),
}
STEPS = 2000  # in which the ends of an interval are found
PROMISE = Guarantee(
    released="the scores",
    neighbours=Neighbours.REPLACE_ONE,
    public="the number of records and the list of groups",
    status=Status.PROVED,
    proof="release/released_scores.py",
)


@dataclass(frozen=True)
class ReleasedScore:
    """A score from noisy counts, with the interval of the exact score."""

    value: float
    low: float  # the lower end of the 95 % interval
    high: float  # the upper end of the 95 % interval

    @property
    def is_measurable(self) -> bool:
        """Whether the interval excludes any value of the score."""
        return self.high - self.low < 1.0


def released_scores(
    model: Any, test: Records | PartitionedRecords, *, epsilon: float, rng: np.random.Generator
) -> Mapping[str, ReleasedScore]:
    """The noisy scores of a classifier on held-out records with their intervals, by name."""
    noisy = noisy_counts(model, test, epsilon=epsilon, rng=rng)
    found = {}
    for name, value in scores_of(noisy).items():
        low, high = interval(name, noisy, epsilon=epsilon)
        if math.isnan(value):
            low, high = 0.0, 1.0
        # counts below 0, which the score does not use, can move the interval past the score
        found[name] = ReleasedScore(value, min(low, value), max(high, value))
    return found


def noisy_scores(
    model: Any, test: Records | PartitionedRecords, *, epsilon: float, rng: np.random.Generator
) -> Mapping[str, float]:
    """The noisy scores of a classifier on held-out records, by name.

    A score is NaN if a noisy count that it is divided by is not positive.
    """
    return scores_of(noisy_counts(model, test, epsilon=epsilon, rng=rng))


def noisy_counts(
    model: Any, test: Records | PartitionedRecords, *, epsilon: float, rng: np.random.Generator
) -> Floats:
    """The noisy number of held-out records by group, label and decision, (groups, 2, 2)."""
    counts = decision_counts(model, test)
    noisy = laplace(counts, l1_sensitivity=L1_REPLACED, epsilon=epsilon, rng=rng)
    return np.asarray(noisy)


def scores_of(noisy: Floats) -> Mapping[str, float]:
    """The scores that follow from noisy counts (groups, 2, 2), by name; NaN for 0 / 0."""
    possible = np.maximum(noisy, 0.0)  # post-processing: a count is never negative
    with np.errstate(invalid="ignore"):  # 0 / 0 if no count is positive
        return {name: getattr(metrics, name)(possible) for name in SCORES}


def interval(name: str, noisy: Floats, *, epsilon: float) -> tuple[float, float]:
    """The 95 % interval of a score, from noisy counts (groups, 2, 2) alone."""
    if name in TOTALS:
        successes, records = RATES[TOTALS[name]](noisy)
        total = successes.sum(), (records - successes).sum()
        return _interval_of_rate(*total, cells=noisy.size // 2, epsilon=epsilon, level=LEVEL)
    level = LEVEL / len(GAPS[name])
    ends = [_interval_of_gap(rate, noisy, epsilon, level) for rate in GAPS[name]]
    lows, highs = zip(*ends, strict=True)
    return max(lows), max(highs)


def _interval_of_gap(rate: str, noisy: Floats, epsilon: float, level: float) -> tuple[float, float]:
    """The interval of the largest minus the smallest rate of a group."""
    groups = len(noisy)
    successes, records = RATES[rate](noisy)  # (groups,)
    (cells,), _ = RATES[rate](np.ones((1, 2, 2)))  # the number of counts in the sum
    pairs = zip(successes, records - successes, strict=True)
    ends = [
        _interval_of_rate(*pair, cells=cells, epsilon=epsilon, level=level / groups)
        for pair in pairs
    ]
    low, high = np.transpose(ends)  # (groups,)
    return max(0.0, float(low.max() - high.min())), float(high.max() - low.min())


def _interval_of_rate(
    successes: float, failures: float, *, cells: float, epsilon: float, level: float
) -> tuple[float, float]:
    """The interval of a rate, from noisy numbers that are sums of `cells` counts each."""
    p = np.arange(STEPS + 1) / STEPS
    deviation = L1_REPLACED / epsilon * np.sqrt(2 * cells * ((1 - p) ** 2 + p**2))
    distance = np.abs((1 - p) * successes - p * failures)
    inside = distance <= deviation * math.log(1 / level) / math.sqrt(2)
    inside[distance.argmin()] = True  # an interval may lie between two steps
    found = p[inside]
    # the ends lie within a step of these
    return max(0.0, found[0] - 1 / STEPS), min(1.0, found[-1] + 1 / STEPS)


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
