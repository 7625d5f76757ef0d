"""A decision rule that depends on the decision of a base classifier and on the group.

Source: Hardt, Price and Srebro 2016. A rule is a table p (2, groups), where p[yhat, a] is the
probability of decision 1 for a record of group a with base decision yhat. The best fair rule
depends only on the table q (2, groups, 2) of the shares of records with each base decision, group
and label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, nan
from typing import Any, ClassVar

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.results import SavedFields
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.regression.linear import LinearClassifier

SIGNS = np.array([1.0, -1.0])  # of the two constraints for each difference of rates


@dataclass(frozen=True, eq=False)
class GroupRule(SavedFields):
    """The rule with decision 1 with probability `rule[yhat, a]`; yhat is a linear base decision."""

    form: ClassVar[str] = "group_rule"  # module whose `restore` reads a model file of this class
    weights: Floats  # the weights of the base decision, (d,)
    intercept: float  # the intercept of the base decision
    rule: Floats  # the probability of decision 1 for each base decision and group, (2, groups)
    # 1 if a noisy share was not positive and the fallback of the fit was used, else 0
    fallback: float
    inverse_epsilon: float  # 1 / epsilon; 0 without privacy
    fairness_gap: float  # the fairness slack of the fit
    beta: float  # the failure probability of the paper's guarantee on error and fairness

    @property
    def reads_group(self) -> bool:
        """True, because the decision depends on the group of the record."""
        return True

    def predict(self, records: Records) -> Floats:
        """The probability of decision 1 for each record, (n,)."""
        base = base_decision(records, weights=self.weights.tobytes(), intercept=self.intercept)
        decision: Floats = self.rule[base, records.protected]
        return decision

    def guarantee(self, records: Records) -> tuple[float, Floats]:
        """The bounds of jagielski2019, Theorem 3.1, on the error and on the differences of rates.

        The bounds on the differences have the shape (groups - 1, 2): one for each group but the
        first and each label. All bounds are NaN if the assumption of the theorem, min q_ay > 4 ln(4
        |A| / beta) / (m epsilon), fails. q_ay is the share of records with group a and label y, |A|
        the number of groups, and m the number of records.
        """
        base = base_decision(records, weights=self.weights.tobytes(), intercept=self.intercept)
        table = joint_table(base, records)
        shares, groups = table.sum(axis=0), table.shape[1]
        noise = 4 * log(4 * groups / self.beta) * self.inverse_epsilon / len(records)
        # the assumption of the theorem, also false for NaN
        if not shares.min() > noise:
            return nan, np.full((groups - 1, 2), nan)
        # the theorem compares with the best rule on the exact table
        best = fair_rule(table, np.full((groups - 1, 2), self.fairness_gap))
        gaps = self.fairness_gap + 2 * noise / (np.minimum(shares[1:], shares[0]) - noise)
        return error(table, best) + 6 * groups * noise, gaps


def restore(saved: Mapping[str, Any]) -> GroupRule:
    """The decision rule that a model file holds."""
    found = GroupRule.from_saved(saved)
    if found.weights.ndim != 1 or found.rule.ndim != 2 or len(found.rule) != 2:
        raise ValueError(
            "in the model file, the weights must be a list of numbers and the rule a table of two "
            "rows"
        )
    return found


@once_per_records
def base_decision(records: Records, *, weights: bytes, intercept: float) -> Ints:
    """The decisions of a linear classifier on the records, (n,).

    `weights` are the bytes of an array of float64, (d,), because bytes can be the key of a cache.
    The decisions are computed once for the same records, weights and intercept.
    """
    return LinearClassifier(np.frombuffer(weights), intercept).predict(records).astype(np.int64)


def joint_table(decision: Floats | Ints, records: Records) -> Floats:
    """The share of records with each base decision, group and label, (2, groups, 2)."""
    groups = len(records.domain.groups)
    # the three indices as one number, which bincount counts in one pass
    cell = (decision.astype(int) * groups + records.protected) * 2 + records.y
    return np.bincount(cell, minlength=4 * groups).reshape(2, groups, 2) / len(records)


def error(table: Floats, rule: Floats) -> float:
    """The probability that `rule` (2, groups) decides wrongly, for a `table` of `joint_table`."""
    return float(table[:, :, 1].sum() + (gain(table) * rule).sum())


def gain(table: Floats) -> Floats:
    """The derivative of the error by the probabilities of decision 1, (2, groups)."""
    cost: Floats = table[:, :, 0] - table[:, :, 1]
    return cost


def fair_rule(table: Floats, slack: Floats) -> Floats:
    """The rule (2, groups) with the least error among the rules that are fair enough.

    A rule gives the probability of decision 1 for each base decision and group. If all shares are
    positive, the linear program has a solution, because a rule with the same probability for all
    records has equal rates.

    Args:
        table: the shares of base decision, group and label, (2, groups, 2).
        slack: the largest allowed difference of each rate from the rate of group 0, (groups - 1,
            2). A slack that no rule exceeds gives no constraint.

    Raises:
        ValueError: the solver finds no solution.
    """
    # without a binding constraint each entry is decided on its own
    rows, bounds = constraints(table, slack)
    if not len(bounds):
        return (gain(table) < 0).astype(float)
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import

    # `milp` without integers calls HiGHS with less overhead than `linprog`: 0.9 in place of 1.4 ms
    conditions = LinearConstraint(rows, ub=bounds)
    solution = milp(
        gain(table).ravel(),
        constraints=conditions,
        bounds=Bounds(0, 1),
        options={"presolve": False},
    )
    if solution.x is None:
        raise ValueError(
            f"the linear program of the fair rule could not be solved ({solution.message}): use a "
            "larger `fairness_gap` or a larger epsilon"
        )
    rule: Floats = np.clip(solution.x, 0, 1).reshape(gain(table).shape)
    return rule


def constraints(table: Floats, slack: Floats) -> tuple[Floats, Floats]:
    """The fairness constraints A @ rule <= b that some rule violates, A (k, 2 groups) and b (k,).

    `table` (2, groups, 2) are the shares of base decision, group and label, and `slack` (groups -
    1, 2) is the largest allowed difference of each rate from the rate of group 0.
    """
    groups = table.shape[1]
    shares = table.sum(axis=0)
    others, labels = np.nonzero(np.isfinite(slack) & comparable(shares))
    rows = np.zeros((len(others), 2, groups))
    k = np.arange(len(others))
    rows[k, :, others + 1] = (table[:, others + 1, labels] / shares[others + 1, labels]).T
    rows[k, :, 0] = -(table[:, 0, labels] / shares[0, labels]).T
    flat, limits = rows.reshape(len(k), 2 * groups), slack[others, labels]
    # the largest value that a rule in [0, 1] gives a constraint, in either direction
    binding = np.maximum(flat.clip(0).sum(axis=1), -flat.clip(None, 0).sum(axis=1)) > limits
    return np.concatenate([sign * flat[binding] for sign in SIGNS]), np.tile(limits[binding], 2)


def comparable(shares: Floats) -> Mask:
    """True where a group and group 0 have a positive share of a label, (groups - 1, 2)."""
    both: Mask = (shares[1:] > 0) & (shares[0] > 0)
    return both
