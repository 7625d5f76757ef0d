"""Accuracy and group fairness of decisions, from one table of counts.

`tabulate` counts the records with each group, label and decision, and every metric below is a
function of this table, `counts` (groups, labels, decisions). A randomised rule gives a probability
of decision 1, and the table then has expected counts, so that metrics are exact in expectation. The
rate of an empty set, such as the true positive rate of a group without label 1, cannot be measured,
and neither can a difference that needs it: both are NaN.

>>> import numpy as np
>>> decision = np.array([1.0, 0.0, 1.0, 0.5])
>>> y, protected = np.array([1, 0, 1, 1]), np.array([0, 0, 1, 1])
>>> counts = tabulate(decision, y, protected, groups=2)
>>> accuracy(counts), demographic_parity_difference(counts)
(0.875, 0.25)
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints


def tabulate(decision: Floats, y: Ints, protected: Ints, *, groups: int) -> Floats:
    """The expected number of records with each group, label and decision, (groups, 2, 2).

    Args:
        decision: The probability of outputting 1, (n,).
        y: The label, 0 or 1, (n,).
        protected: The number of the group, (n,).
        groups: The number of groups, also of those without a record.
    """
    cell = 2 * protected + y  # (n,)
    records = np.bincount(cell, minlength=2 * groups)
    selected = np.bincount(cell, weights=decision, minlength=2 * groups)
    return np.stack([records - selected, selected], axis=1).reshape(groups, 2, 2)


def accuracy(counts: Floats) -> float:
    """The share of records whose decision equals the label."""
    return float((counts[:, 0, 0] + counts[:, 1, 1]).sum() / counts.sum())


def majority_accuracy(counts: Floats) -> float:
    """The accuracy of the constant decision for the more frequent label."""
    return float(counts.sum(axis=(0, 2)).max() / counts.sum())


def selection_rate(counts: Floats) -> float:
    """The share of records with decision 1."""
    return float(counts[:, :, 1].sum() / counts.sum())


def demographic_parity_difference(counts: Floats) -> float:
    """The largest minus the smallest selection rate of a group, in papers the risk difference."""
    return _gap(counts[:, :, 1].sum(axis=1), counts.sum(axis=(1, 2)))


def equal_opportunity_difference(counts: Floats) -> float:
    """The largest minus the smallest true positive rate of a group."""
    return _gap(counts[:, 1, 1], counts[:, 1].sum(axis=1))


def false_positive_rate_difference(counts: Floats) -> float:
    """The largest minus the smallest false positive rate of a group."""
    return _gap(counts[:, 0, 1], counts[:, 0].sum(axis=1))


def equalized_odds_difference(counts: Floats) -> float:
    """The larger of the differences in true and in false positive rates between groups."""
    gaps = [equal_opportunity_difference(counts), false_positive_rate_difference(counts)]
    return float(np.max(gaps))  # unlike `max`, NaN if a gap is NaN


def equalized_odds_violation(counts: Floats) -> float:
    """The largest difference of a group's false or true positive rate from that of group 0.

    Source: jagielski2019.
    """
    records = counts.sum(axis=2)
    rates = counts[:, :, 1] / np.where(records > 0, records, np.nan)  # (groups, 2 labels)
    return float(np.abs(rates[1:] - rates[0]).max())


def accuracy_difference(counts: Floats) -> float:
    """The largest minus the smallest accuracy of a group."""
    return _gap(counts[:, 0, 0] + counts[:, 1, 1], counts.sum(axis=(1, 2)))


def _gap(part: Floats, whole: Floats) -> float:
    if not whole.all():  # a group without records
        return float("nan")
    rates = part / whole
    return float(rates.max() - rates.min())
