"""DP-postprocessing: a fair decision rule from a noisy table of decision, group and label.

Source: jagielski2019, Algorithm 1 (at epsilon = infinity: Hardt, Price and Srebro 2016).
Differs: The base classifier is logistic regression without the group, fitted to all records.
    The linear program (1) is infeasible only if the noisy share of records of a group and
    label is not positive. The paper assumes that every noisy share is positive, and the authors'
    code leaves runs without a solution out of the average. Here `fallback` gives a rule for these
    runs, and every run records whether `fallback` was used. "drop_constraint", the default, omits
    the constraints on a share that is not positive, which is the limit of program (1) as the share
    falls to zero. "constant" predicts the more frequent label for all records, which is fair.
"""

from __future__ import annotations

from math import inf, isinf, log
from typing import Literal

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.guarantees import Guarantee, Neighbours, Status
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.contracts.parameters import Epsilon, Fraction, NotNegative, PositiveFinite, checked
from dpfair_cli.kinds.records import Records
from dpfair_cli.mechanisms.laplace import laplace
from dpfair_cli.mechanisms.sensitivity.counts import l1_shares
from dpfair_cli.models.postprocessing import group_rule
from dpfair_cli.models.regression.logistic import logistic

Fallback = Literal["drop_constraint", "constant"]


@checked
def fit(
    records: Records,
    *,
    epsilon: Epsilon = 1.0,
    fairness_gap: NotNegative = 0.05,
    beta: Fraction = 0.05,
    l2: PositiveFinite = 1.0,
    fallback: Fallback = "drop_constraint",
    rng: np.random.Generator,
) -> group_rule.GroupRule:
    """The randomised rule with the least error among the rules that are fair enough.

    A rule is fair enough if the true and false positive rates of each group differ from those of
    group 0 by at most `fairness_gap` plus a slack for the noise. Error and rates are computed from
    a noisy table of the shares of base decision, group and label.

    Args:
        fairness_gap: gamma, the largest difference of rates between groups that is allowed.
        beta: The probability with which the bound on the error of a rate may fail.
        l2: The strength of the L2 penalty of the logistic regression.
        fallback: What replaces an infeasible program: fewer constraints, or a constant decision.
    """
    # bound: one protected attribute moves one record from one cell of the table to another
    # query: (2, groups, 2)
    base, table = logistic(records, l2=l2), _table(records, l2=l2)
    # release
    noisy = laplace(table, l1_sensitivity=l1_shares(len(records)), epsilon=epsilon, rng=rng)
    # post-process
    dropped = not group_rule.comparable(noisy.sum(axis=0)).all()
    # (groups - 1, 2)
    slack = fairness_gap + _relaxation(noisy.sum(axis=0), len(records) * epsilon, beta)
    if dropped and fallback == "constant":
        rule = np.full(table.shape[:2], float(records.y.mean() > 0.5))
    else:
        rule = group_rule.fair_rule(noisy, slack)
    return group_rule.GroupRule(
        base.weights, base.intercept, rule, float(dropped), 1 / epsilon, fairness_gap, beta
    )


@once_per_records
def _table(records: Records, *, l2: float) -> Floats:
    return group_rule.joint_table(logistic(records, l2=l2).predict(records), records)


def _relaxation(shares: Floats, weight: float, beta: float) -> Floats:
    """The slack that makes up for the noise in the differences of rates, (groups - 1, 2).

    The slack is 4 ln(4 groups / beta) / (min(q_ay, q_0y) weight) for group a and label y, where q
    (groups, 2) are the noisy `shares` of records with each group and label, and `weight` is the
    number of records times epsilon. The slack is infinite where a share is not positive.
    """
    smaller = np.minimum(shares[1:], shares[0])
    if isinf(weight):
        return np.where(smaller > 0, 0.0, inf)
    with np.errstate(divide="ignore"):
        return np.where(smaller > 0, 4 * log(4 * len(shares) / beta) / (smaller * weight), inf)


ALGORITHM = Algorithm(
    fit,
    version=2,
    source="jagielski2019, Algorithm 1 (at epsilon = infinity: Hardt, Price and Srebro 2016)",
    guarantee=Guarantee(
        released="the rule",
        neighbours=Neighbours.ONE_PROTECTED_ATTRIBUTE,
        public="features, labels and the number of records",
        status=Status.PROVED,
        proof="mechanisms/sensitivity/counts.py",
    ),
    uses_groups=True,
)
