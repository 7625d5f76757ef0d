"""Scores of a regression for groups: the error, and how far the groups' scores are apart.

Source: xian2024 (Xian, Li, Kamath and Zhao, ICML 2024).
"""

from __future__ import annotations

import numpy as np

import dpfair_cli.plugin as dp


def mean_squared_error(predicted: dp.Floats, target: dp.Floats) -> float:
    """The mean of the squared differences of the predictions and the targets."""
    return float(np.mean((predicted - target) ** 2))


def ks_distance(predicted: dp.Floats, group: dp.Ints) -> float:
    """The largest Kolmogorov-Smirnov distance between the scores of two groups.

    Only groups that have a record are compared; with fewer than two the distance is 0.

    >>> ks_distance(np.array([0.0, 1.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    0.5
    """
    places = np.unique(predicted)
    curves = [_cumulative(predicted[group == one], places) for one in np.unique(group)]
    return float(np.ptp(curves, axis=0).max(initial=0.0)) if curves else 0.0


def _cumulative(values: dp.Floats, places: dp.Floats) -> dp.Floats:
    """The share of `values` that is at most each of `places`."""
    return np.asarray(np.searchsorted(np.sort(values), places, side="right") / len(values))
