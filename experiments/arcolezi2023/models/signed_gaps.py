"""Signed differences between two groups, and scores of decisions, from one table of counts.

A gap is the rate of group 1 minus the rate of group 0. The table of counts is that of
`classification.tabulate`. A rate of an empty set is NaN, and so is every score that needs it.

>>> import numpy as np
>>> from dpfair_cli.metrics.classification import tabulate
>>> decision = np.array([1.0, 0.0, 1.0, 0.0])
>>> counts = tabulate(decision, np.array([1, 0, 1, 1]), np.array([0, 0, 1, 1]), groups=2)
>>> selection_gap(counts), opportunity_gap(counts), accuracy_gap(counts)
(0.0, -0.5, -0.5)
"""

from __future__ import annotations

import dpfair_cli.plugin as dp


def selection_gap(counts: dp.Floats) -> float:
    """The selection rate of group 1 minus that of group 0.

    `counts` (2 groups, labels, decisions) is the number of records.
    """
    return _gap(counts[:, :, 1].sum(axis=1), counts.sum(axis=(1, 2)))


def opportunity_gap(counts: dp.Floats) -> float:
    """The true positive rate of group 1 minus that of group 0.

    `counts` (2 groups, labels, decisions) is the number of records.
    """
    return _gap(counts[:, 1, 1], counts[:, 1].sum(axis=1))


def accuracy_gap(counts: dp.Floats) -> float:
    """The accuracy of group 1 minus that of group 0.

    `counts` (2 groups, labels, decisions) is the number of records.
    """
    return _gap(counts[:, 0, 0] + counts[:, 1, 1], counts.sum(axis=(1, 2)))


def disparate_impact(counts: dp.Floats) -> float:
    """The selection rate of group 0 divided by that of group 1.

    `counts` (2 groups, labels, decisions) is the number of records.
    """
    selected, records = counts[:, :, 1].sum(axis=1), counts.sum(axis=(1, 2))
    # a quotient of two rates as one of products, which divides once
    return _share(selected[0] * records[1], selected[1] * records[0])


def f1(counts: dp.Floats) -> float:
    """The harmonic mean of precision and recall of label 1; 0 if no decision is right about it.

    `counts` (groups, labels, decisions) is the number of records.
    """
    hits, misses, alarms = (
        counts[:, label, decision].sum() for label, decision in ((1, 1), (1, 0), (0, 1))
    )
    return float(2 * hits / (2 * hits + misses + alarms)) if hits else 0.0


def auc_hard_labels(counts: dp.Floats) -> float:
    """The mean of the true positive and the true negative rate.

    `counts` (groups, labels, decisions) is the number of records.
    """
    whole = counts.sum(axis=0)  # (labels, decisions)
    rates = [_share(whole[label, label], whole[label].sum()) for label in (0, 1)]
    return sum(rates) / 2


def _gap(part: dp.Floats, whole: dp.Floats) -> float:
    zero, one = (_share(part[group], whole[group]) for group in (0, 1))
    return one - zero


def _share(part: float, whole: float) -> float:
    # an empty set has no rate, and 0 would be a claim
    return float(part / whole) if whole else float("nan")
