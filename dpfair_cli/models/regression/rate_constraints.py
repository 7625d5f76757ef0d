"""Constraints on the rates of decision 1 in groups, as Lagrange multipliers of a training run.

The rate of a group is its share of records with decision 1: of all records for demographic parity,
of those with label 1 for equal opportunity, and of those with each label for equalized odds. The
rate of each group may differ from the mean rate of the groups by half of `fairness_gap`, so that
the rates of two groups differ by at most `fairness_gap`. Each of the two inequalities has a
multiplier. Rates come from a histogram: the number of records, exact or with noise, with each
group, label and decision.

Source: Yaghini et al. 2025 (arXiv 2505.22703), Algorithm 1: descent of the weights and ascent of
the multipliers, both from one histogram. As in Cotter et al. 2019, multipliers see decisions, and
gradients see probabilities in their place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.parameters import AtLeast, Below, PositiveFinite, check_fields

Fairness = Literal["demographic_parity", "equal_opportunity", "equalized_odds"]
LABELS = {  # the labels of the records of each rate, (rates, 2)
    "demographic_parity": ((1, 1),),
    "equal_opportunity": ((0, 1),),
    "equalized_odds": ((1, 0), (0, 1)),
}


@dataclass(frozen=True)
class RateConstraints:
    """The constraints and the ascent of their multipliers."""

    fairness: Fairness = "demographic_parity"
    """The rates that must be close to each other."""
    fairness_gap: Annotated[float, AtLeast(0), Below(1)] = 0.01
    """The largest difference of the rates of two groups that the constraints allow."""
    multiplier_rate: PositiveFinite = 1.0
    """The learning rate of the multipliers."""
    multiplier_bound: PositiveFinite = 1.0
    """The largest value of a multiplier."""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def labels(self) -> Floats:
        """1 where records with a label count for a rate, else 0, (rates, 2)."""
        return np.array(LABELS[self.fairness], dtype=float)

    def start(self, groups: int) -> Floats:
        """The initial multipliers, zeros, (2, rates, groups): of rates too high, and too low."""
        return np.zeros((2, len(self.labels), groups))

    def ascended(self, multipliers: Floats, histogram: Floats, noise: float) -> Floats:
        """The multipliers after a step with the rates in `histogram` (groups, 2, 2).

        `noise` is the standard deviation of an entry of the histogram.
        """
        above = self._above(histogram, noise)
        excess = np.stack([above, -above]) - self.fairness_gap / 2
        moved = multipliers + self.multiplier_rate * excess
        return np.asarray(moved.clip(0.0, self.multiplier_bound))

    def pulls(self, multipliers: Floats, histogram: Floats, noise: float) -> Floats:
        """The derivative of the penalty by the probability of a record, (groups, 2).

        The penalty is the sum of the multipliers times how far the rate of each group is from the
        mean of the groups. The result has an entry for each group and label of the record.
        """
        signed = multipliers[0] - multipliers[1]  # (rates, groups)
        of_rates = signed - signed.mean(axis=1, keepdims=True)
        return np.asarray((of_rates / self._records(histogram, noise)).T @ self.labels)

    def _above(self, histogram: Floats, noise: float) -> Floats:
        """How far the rate of each group is above the mean of the groups, (rates, groups)."""
        selected = self._of_rates(histogram[:, :, 1])  # (rates, groups)
        counts = np.maximum(self._of_rates(histogram.sum(axis=2)), 0.0)
        overall = _shares(selected.sum(axis=1), counts.sum(axis=1))  # (rates,)
        # what a group lacks in records has the rate of all records: a group that is smaller than
        # the noise, or empty, moves no multiplier
        records = self._records(histogram, noise)
        rates = ((selected + (records - counts) * overall[:, None]) / records).clip(0.0, 1.0)
        return np.asarray(rates - rates.mean(axis=1, keepdims=True))

    def _records(self, histogram: Floats, noise: float) -> Floats:
        """The number of records of each rate in each group, at least 1, plus the noise."""
        return np.maximum(self._of_rates(histogram.sum(axis=2)), 1.0) + noise

    def _of_rates(self, counts: Floats) -> Floats:
        """The sums of counts (groups, 2) over the labels of each rate, (rates, groups)."""
        return self.labels @ counts.T


def _shares(counts: Floats, records: Floats) -> Floats:
    """The counts as shares of records, from 0 to 1."""
    return (counts / np.maximum(records, 1.0)).clip(0.0, 1.0)


DEFAULT_CONSTRAINTS = RateConstraints()
