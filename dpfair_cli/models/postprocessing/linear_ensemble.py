"""Many linear rules, one of them drawn at random for each person: the decision is their share of
ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Records

BLOCK = 4_096  # records scored at once, so that the scores of all rules fit into the cache


@dataclass(frozen=True, eq=False)
class LinearEnsemble(SavedFields):
    """Rule t decides 1 where x @ weights[t] + intercepts[t, group] > 0; all T rules are equally
    likely.

    The other fields are the settings that the paper's guarantee is about: budget, slack, failure
    probability, B, d_H.
    """

    form: ClassVar[str] = "linear_ensemble"
    weights: Floats  # (T, d)
    intercepts: Floats  # (T, groups); the same in all groups for a rule that may not know the group
    inverse_epsilon: float  # 0 without privacy
    delta: float
    fairness_gap: float
    beta: float
    dual_bound: float
    dimension: float
    labels: int  # 1: false positive rates alone are constrained; 2: equalized odds
    aware: bool  # rules may know the group, so that they may be its indicator

    @property
    def reads_group(self) -> bool:
        """Whether a rule has an intercept for each group."""
        return bool(np.ptp(self.intercepts, axis=1).any())

    def predict(self, records: Records) -> Floats:
        """The probability of deciding 1, (n,)."""
        rows = range(0, len(records), BLOCK)
        return np.concatenate(
            [self._share(records.X[i : i + BLOCK], records.protected[i : i + BLOCK]) for i in rows]
        )

    def guarantee(self, records: Records) -> tuple[float, Floats]:
        """jagielski2019, Theorem 4.4: bounds of the error and of each difference of rates (groups -
        1, 2).

        err(Q*) is not known and taken as 0, its least value: the bound of the error is 2 nu. nu
        adds the regrets of learner and auditor (Lemmas 4.1 and 4.2), which are those of the paper's
        exponential mechanism and noise. Theorem 4.5 in its place where rules know the group, false
        positive rates alone are constrained and B > |A| - 1. A rate that is not constrained has the
        bound infinity.
        """
        T, groups = self.intercepts.shape
        cell_sizes = np.bincount(2 * records.protected + records.y, minlength=2 * groups)
        if cell_sizes.min() <= 1:
            return nan, np.full((groups - 1, 2), nan)
        noise = 8 * sqrt(T * log(1 / self.delta)) * self.inverse_epsilon / (cell_sizes.min() - 1)
        complexity = self.dimension * log(len(records)) + log(2 * T / self.beta)
        learner = (2 * groups * self.dual_bound + 1) * noise * complexity
        drift = 2 * self.dual_bound * sqrt(log(4 * groups - 3) / T)
        auditor = drift + 2 * self.dual_bound * groups * noise * log(8 * T * groups / self.beta)
        nu = learner + auditor
        excess = (1 + 2 * nu) / self.dual_bound
        if self.aware and self.labels == 1 and self.dual_bound > groups - 1:
            excess = 2 * nu / (self.dual_bound - (groups - 1))
        gaps = np.full((groups - 1, 2), inf)
        gaps[:, : self.labels] = self.fairness_gap + excess
        return 2 * nu, gaps

    def _share(self, X: Floats, group: Ints) -> Floats:
        share: Floats = (X @ self.weights.T + self.intercepts.T[group] > 0).mean(axis=1)
        return share


def restore(saved: Mapping[str, Any]) -> LinearEnsemble:
    """The rules in a model file.

    Raises:
        ValueError: there are not an intercept for each group and weights for each rule.
    """
    found = LinearEnsemble.from_saved(saved)
    if (
        found.weights.ndim != 2
        or found.intercepts.ndim != 2
        or len(found.weights) != len(found.intercepts)
    ):
        raise ValueError("each rule has weights, and an intercept for each group")
    return found
