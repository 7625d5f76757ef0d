"""Data unfairness: how much the share of label 1 depends on the report, in parts of that share.

Source: the authors' notebook OPTvsLDPmechanisms/Experiment_OPT.ipynb, the quantity that its program
minimises.
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp


def data_unfairness(law: dp.Floats, shares: dp.Floats) -> float:
    """The largest |P(Y = 1 | report) - P(Y = 1)| / P(Y = 1) of all reports that occur.

    Args:
        law: P(report | level), (levels, reports).
        shares: P(level, label), (levels, labels 0 and 1).

    >>> data_unfairness(np.eye(2), np.array([[0.3, 0.1], [0.2, 0.4]]))  # 0.25 and 0.67 for 0.5
    0.5
    """
    of_reports = law.T @ shares  # P(report, label), (reports, labels)
    occurring = of_reports[of_reports.sum(axis=1) > 0]
    share = shares[:, 1].sum()
    given = occurring[:, 1] / occurring.sum(axis=1)
    return float(np.abs(given - share).max() / share)
