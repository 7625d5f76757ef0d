"""The exact sign test of the printed differences, which needs no standard deviation.

Source: Arbuthnott 1710 (the exact binomial test of signs).
Differs: Two values are equal only if all their printed digits are. Equal values do not count in the
    test. The p-value is that of all comparisons together.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons
from dpfair_cli.models.printed.decisions import Decisions

Alternative = Literal["two-sided", "less", "greater"]


@checked
def fit(
    comparisons: PrintedComparisons,
    *,
    alternative: Alternative = "two-sided",
    rng: np.random.Generator,
) -> Decisions:
    """The signs of the printed differences with the p-value of their counts; `rng` is not used.

    Args:
        alternative: Whether the p-value is two-sided, or one-sided for second values that are lower
            ("less") or higher ("greater").
    """
    difference = comparisons.second.mean - comparisons.first.mean  # (n,)
    lower, higher = difference < 0, difference > 0
    counted = int(lower.sum() + higher.sum())
    test = (
        scipy.stats.binomtest(int(higher.sum()), counted, alternative=alternative)
        if counted
        else None
    )
    n = len(difference)
    return Decisions(
        lower=lower,
        higher=higher,
        equivalent=difference == 0,
        p=np.full(n, test.pvalue if test else 1.0),
        difference=difference,
        half_width=np.zeros(n),
        power=np.full(n, np.nan),
        runs_needed=np.full(n, np.nan),
    )


ALGORITHM = Algorithm(fit, version=1, source="Arbuthnott 1710 (the exact binomial test of signs)")
