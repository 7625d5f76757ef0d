"""Generalised randomised response from its formulas alone.

With e = exp(epsilon) and k levels, the own level is reported with probability e / (e + k - 1), each
other one with 1 / (e + k - 1). The share of a level is estimated without bias by (c / n - q) /
(p - q), for c reports of the level among n, with the variance of Wang, Blocki, Li and Jha (2017).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def law(odds: Fraction, k: int) -> list[list[Fraction]]:
    """The probability of each report (column) of each level (row), for odds = exp(epsilon)."""
    own, other = odds / (odds + k - 1), 1 / (odds + k - 1)
    return [[own if one == report else other for report in range(k)] for one in range(k)]


def worst_ratio(table: list[list[Fraction]]) -> Fraction:
    """The largest ratio of the probabilities of one report for two levels."""
    columns = zip(*table, strict=True)
    return max(max(column) / min(column) for column in columns)


def estimated_share(reports: np.ndarray, level: int, odds: float, k: int) -> float:
    """The unbiased estimate of the share of a level."""
    p, q = odds / (odds + k - 1), 1 / (odds + k - 1)
    return float(((reports == level).mean() - q) / (p - q))


def variance_of_share(share: float, n: int, odds: float, k: int) -> float:
    """The variance of the estimate over the reports of n records."""
    p, q = odds / (odds + k - 1), 1 / (odds + k - 1)
    return q * (1 - q) / (n * (p - q) ** 2) + share * (1 - p - q) / (n * (p - q))
