"""The logistic regression of the authors' script, on true or reported levels of an attribute.

The script standardises numbers and the attributes of two groups by the training records, and has a
0/1 column for each level of a text. The loss is the sum over the records plus half of the squared
norm of the weights.

Source: the authors' script FairBalance/src/exp.py.
Differs: "newton" finds the minimum; the script stops nearby, as "lbfgs" does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

import dpfair_cli.plugin as dp
from dpfair_cli.models.regression.linear import LinearClassifier
from dpfair_cli.models.regression.logistic import weighted_logistic

from .attribute_records import AttributeRecords
from .response_law import TRUTH

Solver = Literal["newton", "lbfgs"]
L2 = 1.0  # the default of scikit-learn
MOST_STEPS = 100_000  # of L-BFGS, as in the script


@dataclass(frozen=True, eq=False)
class ReportedRule(LinearClassifier):
    """A linear classifier with the gap of labels of the reports it was fitted to and their law."""

    label_gap: float = 0.0  # |P(Y = 1 | report 1) - P(Y = 1 | report 0)| of the training records
    # P(report j | level i), (2, 2): a public fact of the mechanism, which no record changes
    law: dp.Floats = field(default_factory=lambda: TRUTH)


def fitted(
    records: AttributeRecords,
    *,
    weights: dp.Floats | None = None,
    left_out: str = "",
    law: dp.Floats = TRUTH,
    solver: Solver = "newton",
) -> ReportedRule:
    """The logistic regression on the records, whose randomised attribute may hold reports.

    Args:
        records: The training records.
        weights: The weight of each record, (n,); None for equal weights.
        left_out: The attribute that the rule does not read; empty for none.
        law: The probability of each report of each level, (levels, reports).
        solver: Newton's method, or scikit-learn's L-BFGS with its tolerance.
    """
    n, d = records.X.shape
    if records.y.min() == records.y.max():  # the labels are public; the loss has no minimum
        return ReportedRule(np.zeros(d), 2.0 * records.y[0] - 1)
    kept, standardised = _features(records, left_out)
    X = records.X[:, kept]
    centre = np.where(standardised, X.mean(axis=0), 0.0)
    spread = np.where(standardised, X.std(axis=0), 1.0)
    spread[spread == 0] = 1.0  # a column with a single value
    factors = np.ones(n) if weights is None else weights
    minimum = {"newton": _by_newton, "lbfgs": _by_lbfgs}[solver]
    slopes, intercept = minimum((X - centre) / spread, records, factors)
    own = np.zeros(d)  # the same rule for features that are not scaled
    own[kept] = slopes / spread
    gap = 0.0 if left_out else _label_gap(records)
    return ReportedRule(own, intercept - float(centre @ own[kept]), gap, law)


def _by_newton(X: dp.Floats, records: dp.Records, weights: dp.Floats) -> tuple[dp.Floats, float]:
    """The weights and the intercept of the least loss, by Newton's method."""
    domain = dp.Domain(tuple(map(str, range(X.shape[1]))), {}, records.domain.groups)
    scaled = dp.Records(X, records.y, records.protected, domain)
    rule = weighted_logistic(scaled, weights, l2=L2)
    return rule.weights, rule.intercept


def _by_lbfgs(X: dp.Floats, records: dp.Records, weights: dp.Floats) -> tuple[dp.Floats, float]:
    """The weights and the intercept at which scikit-learn's L-BFGS stops."""
    from sklearn.linear_model import LogisticRegression  # slow to import

    rule = LogisticRegression(C=1 / L2, max_iter=MOST_STEPS).fit(X, records.y, weights)
    return rule.coef_[0], float(rule.intercept_[0])


def _features(records: AttributeRecords, left_out: str) -> tuple[dp.Ints, dp.Ints]:
    """The columns that the script has, (k,), and which of these it standardises, (k,)."""
    kept: list[int] = []
    standardised: list[bool] = []
    for name, columns in records.domain.attributes.items():
        # the script has a number 0 or 1 for the randomised attribute
        own = columns[-1:] if name in records.randomised else columns
        if name != left_out:
            kept += own
            standardised += [len(own) == 1] * len(own)
    return np.array(kept), np.array(standardised)


def _label_gap(records: AttributeRecords) -> float:
    """The difference of the shares of label 1 between the levels; 0 if one level is missing."""
    level = records.X[:, records.level_columns[1]]  # (n,), 0 or 1
    ones = level.sum()
    if not 0 < ones < len(level):
        return 0.0
    shares = (level @ records.y) / ones, ((1 - level) @ records.y) / (len(level) - ones)
    return float(abs(shares[0] - shares[1]))


def balanced_weights(records: AttributeRecords) -> dp.Floats:
    """The weights of FairBalance, (n,): within a group both labels have the same total weight.

    A record of a group with n records, m of which have its label, has the weight n / (2 m).
    """
    counts = np.zeros((len(records.domain.groups), 2))  # (groups, labels)
    np.add.at(counts, (records.protected, records.y), 1)
    group_sizes = counts.sum(axis=1)[records.protected]
    return np.asarray(group_sizes / (2 * counts[records.protected, records.y]))
