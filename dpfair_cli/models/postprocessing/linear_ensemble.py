"""An ensemble of linear rules, one of which is drawn at random for each record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log, nan, sqrt
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Records

BLOCK = 4_096  # records that are scored together, so that all scores fit into the cache


@dataclass(frozen=True, eq=False)
class LinearEnsemble(SavedFields):
    """An ensemble of T equally likely linear rules, as a randomised classifier.

    Rule t decides 1 where x @ weights[t] + intercepts[t, group] > 0.
    """

    # the module whose `restore` reads a model file of this class
    form: ClassVar[str] = "linear_ensemble"
    weights: Floats  # the weights of each rule, (T, d)
    # the intercepts (T, groups); they are equal in all groups if rules may not use the group
    intercepts: Floats
    inverse_epsilon: float  # 1 / epsilon; 0 without privacy
    delta: float  # the failure probability of the privacy guarantee
    fairness_gap: float  # the fairness slack of the fit
    beta: float  # the failure probability of the paper's guarantee on error and fairness
    dual_bound: float  # B, the bound of the dual variables
    dimension: float  # d_H, the VC dimension of the rules
    labels: int  # 1 if only false positive rates are constrained, 2 for equalized odds
    aware: bool  # whether rules may use the group

    @property
    def reads_group(self) -> bool:
        """Whether one of the linear rules has different intercepts for the groups."""
        return bool(np.ptp(self.intercepts, axis=1).any())

    def predict(self, records: Records) -> Floats:
        """The share of rules with decision 1 for each record, (n,)."""
        shares = []
        # in blocks: all rules on all records would be an array of n T numbers
        for start in range(0, len(records), BLOCK):
            rows = slice(start, start + BLOCK)
            shares.append(self._share(records.X[rows], records.protected[rows]))
        return np.concatenate(shares)

    def guarantee(self, records: Records) -> tuple[float, Floats]:
        """The bounds of jagielski2019, Theorem 4.4, on the error and on the differences of rates.

        The bounds on the differences have the shape (groups - 1, 2): one for each group but the
        first and each label. The error of the best fair rule is not known and replaced by 0, so
        that the bound on the error is 2 nu. nu is the sum of the regrets of the learner and of the
        auditor, who sets the costs of unfairness (Lemmas 4.1 and 4.2), for the exponential
        mechanism and the noise of the paper. If rules may use the group, only false positive rates
        are constrained, and the bound B of the auditor's weights exceeds the number of groups minus
        1, Theorem 4.5 is used instead. The bound on a rate without a constraint is infinite.
        """
        T, groups = self.intercepts.shape
        cell_sizes = np.bincount(2 * records.protected + records.y, minlength=2 * groups)
        # the bound divides by the size of the smallest cell minus 1
        if cell_sizes.min() <= 1:
            return nan, np.full((groups - 1, 2), nan)
        # nu is the regret of the learner plus that of the auditor (Lemmas 4.1 and 4.2)
        noise = 8 * sqrt(T * log(1 / self.delta)) * self.inverse_epsilon / (cell_sizes.min() - 1)
        complexity = self.dimension * log(len(records)) + log(2 * T / self.beta)
        learner = (2 * groups * self.dual_bound + 1) * noise * complexity
        drift = 2 * self.dual_bound * sqrt(log(4 * groups - 3) / T)
        auditor = drift + 2 * self.dual_bound * groups * noise * log(8 * T * groups / self.beta)
        nu = learner + auditor
        excess = (1 + 2 * nu) / self.dual_bound
        # here Theorem 4.5 holds, with another bound
        if self.aware and self.labels == 1 and self.dual_bound > groups - 1:
            excess = 2 * nu / (self.dual_bound - (groups - 1))
        gaps = np.full((groups - 1, 2), inf)
        gaps[:, : self.labels] = self.fairness_gap + excess
        return 2 * nu, gaps

    def _share(self, X: Floats, group: Ints) -> Floats:
        share: Floats = (X @ self.weights.T + self.intercepts.T[group] > 0).mean(axis=1)
        return share


def restore(saved: Mapping[str, Any]) -> LinearEnsemble:
    """The linear rules that a model file holds."""
    found = LinearEnsemble.from_saved(saved)
    are_tables = found.weights.ndim == 2 and found.intercepts.ndim == 2
    if not are_tables or len(found.weights) != len(found.intercepts):
        raise ValueError(
            "every rule of the ensemble in the model file must have a weight for each feature and "
            "an intercept for each group"
        )
    return found
