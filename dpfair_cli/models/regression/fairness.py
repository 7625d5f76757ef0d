"""The decision boundary covariance as a fairness term of a quadratic objective.

Source: xu2021, Equations 3.17 and 8.2. Here x_i is a record, s_i its group (0 or 1), s_bar the mean
of the groups, and w are the weights. g = sum (s_i - s_bar) x_i is proportional to the difference
between the mean records of the two groups. The papers allow three interpretations of the fairness
term, which are the values of `fairness`:

- "penalty" adds alpha |g'w| to the objective, as the text says;
- "shift" adds alpha g to the linear coefficients, as the text on PFLR* says;
- "drift" adds alpha sum |s_i - s_bar| x_i to the linear coefficients (line 3 of xu2021's Algorithm
  5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import NotNegativeFinite
from dpfair_cli.kinds.partitioned_records import PartitionedRecords, total
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.sensitivity.objective import Bound, Fairness
from dpfair_cli.models.regression.quadratic import Quadratic, bounded, minimise_with_penalty


@once_per_records
def boundary_covariance(
    records: Records | PartitionedRecords, *, bound: Bound, fairness: Fairness
) -> Floats:
    """The covariance of groups and features, sum (s_i - s_bar) x_i over the records i, (d,).

    s_i is the group, s_bar the mean of the groups, and x_i are the features, bounded first as
    `bound` says. For `fairness` "drift" the sum is that of |s_i - s_bar| x_i.

    Raises:
        ValueError: the protected attribute does not have two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            "the records must have two groups for the decision boundary covariance, got "
            f"{len(records.domain.groups)} groups"
        )
    # two passes over the records: the sum needs the mean of all partitions first
    s_bar = total(records, _group_counts)[1] / len(records)
    covariance: Floats = total(
        records, partial(_covariance_sum, s_bar=s_bar, bound=bound, fairness=fairness)
    )
    return covariance


def _group_counts(records: Records) -> Ints:
    """The number of records of each of the two groups, (2,)."""
    return np.bincount(records.protected, minlength=2)


def _covariance_sum(records: Records, *, s_bar: float, bound: Bound, fairness: Fairness) -> Floats:
    """The sum of `boundary_covariance`, for a given mean s_bar of the groups, (d,)."""
    offset = records.protected - s_bar  # (n,)
    # line 3 of Algorithm 5 has the absolute value, the text has not
    factor = np.abs(offset) if fairness == "drift" else offset
    covariance: Floats = bounded(records, bound=bound).T @ factor
    return covariance


@dataclass(frozen=True)
class FairObjective:
    """The objective f(w) + |p'w| of a quadratic f and a penalty vector p."""

    quadratic: Quadratic  # the quadratic function f
    penalty: Floats  # the penalty vector p, (d,); an empty array if there is no penalty

    def with_ridge(self, ridge: float | Floats) -> FairObjective:
        """The same objective with `ridge`, (d,) or one number, added to the diagonal of f."""
        return FairObjective(self.quadratic.with_ridge(ridge), self.penalty)

    def minimiser(self) -> Floats:
        """The weights w that minimise f(w) + |p'w|, (d,)."""
        penalty = self.penalty if len(self.penalty) else np.zeros_like(self.quadratic.linear)
        return minimise_with_penalty(self.quadratic, penalty, 1.0)


@dataclass(frozen=True)
class FairnessTerm:
    """The fairness term of an objective."""

    fairness: Fairness = "penalty"
    """The interpretation of the term, "penalty", "shift" or "drift"."""
    alpha: NotNegativeFinite = 1.0
    """The factor of the decision boundary covariance."""

    def covariance(self, records: Records | PartitionedRecords, bound: Bound) -> Floats:
        """The covariance of groups and features within `bound`, for this fairness term, (d,)."""
        return boundary_covariance(records, bound=bound, fairness=self.fairness)

    def added_to(self, objective: Quadratic, g: Floats) -> FairObjective:
        """The objective plus the fairness term of a covariance g (d,), exact or noisy."""
        # the penalty is kept apart, because |g'w| is not a quadratic function of w
        if self.fairness == "penalty":
            return FairObjective(objective, self.alpha * g)
        shifted = Quadratic(objective.linear + self.alpha * g, objective.square)
        return FairObjective(shifted, np.empty(0))


DEFAULT_TERM = FairnessTerm()
