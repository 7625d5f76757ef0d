"""Upper bounds of the probability that printed numbers agree by chance.

Runs of a sound table may share their seeds and splits, so that only a part of their variance is
their own. OWN_VARIANCE is the smallest such part that is considered.
"""

from __future__ import annotations

import math

from scipy.special import chdtri

from dpfair_cli.forensics.printed import PrintedCell

OWN_VARIANCE = 0.25  # of each cell, as a share of the variance over runs
UNLUCKY = 0.975  # how certain it is that the true deviation is above the bound that is used
SMALLEST_GROUP = 0.1  # of the test records, for scores that compare groups


def chance_of_equal(one: PrintedCell) -> float | None:
    """The chance that another cell prints the same mean; None if the deviation is unknown.

    The difference of two means of k runs has the density 1 / (2 sqrt(pi) sigma) at 0, where sigma
    is the standard error of each mean, and falls into one unit of the last digit, or into one step
    of the score if this is larger.
    """
    sigma = _standard_error(one)
    step = step_of(one)
    if not sigma or step is None:
        return None
    return min(1.0, (2 * one.mean.half + step) / (2 * math.sqrt(math.pi) * sigma))


def step_of(cell: PrintedCell) -> float | None:
    """The distance between neighbouring values that the mean can have; None if unknown.

    It is 1/(k n) for a share of n test records in k runs, and 1/n of the smallest considered group
    for a score that compares groups.
    """
    if cell.is_continuous:
        return 0.0
    if not cell.records or not cell.runs:
        return None
    step = 1 / (cell.records * cell.runs)
    return step if cell.is_proportion else step / SMALLEST_GROUP


def _standard_error(cell: PrintedCell) -> float | None:
    """A standard error of the mean that the true one is above, with the certainty UNLUCKY."""
    if not cell.runs:
        return None
    own = math.sqrt(OWN_VARIANCE / cell.runs)
    if cell.std and cell.std.low > 0 and cell.runs > 1:
        freedom = cell.runs - 1
        smallest = math.sqrt(freedom / float(chdtri(freedom, 1 - UNLUCKY)))
        return own * cell.std.low * smallest
    return own * cell.spread.least if cell.spread else None


def relative_error_of_deviation(runs: int) -> float:
    """The relative standard error of a deviation over k runs, 1 / sqrt(2 (k - 1)), of the own part.

    >>> relative_error_of_deviation(9)
    0.125
    """
    return math.sqrt(OWN_VARIANCE / (2 * (runs - 1)))
