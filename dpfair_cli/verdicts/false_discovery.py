"""The method of Benjamini and Hochberg, for the many tests of a paper.

A paper has hundreds of cells and claims, and a test at the level 0.05 is wrong for one of twenty.
The method lowers the level until, of all tests that are significant, at most a twentieth is
expected to be significant wrongly.
"""

from __future__ import annotations

from collections.abc import Iterable

RATE = 0.05  # false discovery rate of a paper, and level of a single test


def controlled_level(p_values: Iterable[float], rate: float = RATE) -> float:
    """The level of each test at which a false discovery rate is controlled.

    It is rate * k / m for m p-values, of which the k smallest are significant. If none is, it is
    the level rate / m that a first one would have to reach.

    Source: Benjamini and Hochberg, 1995, Equation 1.

    Examples:
        >>> controlled_level([0.01, 0.02, 0.5, 0.9])
        0.025
        >>> controlled_level([0.04, 0.5, 0.6, 0.9])
        0.0125
    """
    ordered = sorted(p_values)
    ranks = [rank for rank, p in enumerate(ordered, 1) if p * len(ordered) <= rate * rank]
    return rate * max(ranks, default=1) / max(len(ordered), 1)
