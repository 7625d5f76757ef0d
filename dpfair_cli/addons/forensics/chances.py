"""Upper bounds of the probability that printed numbers agree by chance.

Runs of a sound table may share their seeds and splits, so that only a part of their variance is
their own. OWN_VARIANCE is the smallest such part that is considered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.special import chdtri

from dpfair_cli.addons.forensics.printed import PrintedCell

OWN_VARIANCE = 0.25  # of each cell, as a share of the variance over runs
UNLUCKY = 0.975  # how certain it is that the true deviation is above the bound that is used
SMALLEST_GROUP = 0.1  # of the test records, for scores that compare groups


def chance_of_equal(same: Sequence[PrintedCell]) -> float | None:
    """The largest chance that another cell prints the numbers of one of some cells.

    The deviations count, too, if all cells print the same one. The result is None if the deviation
    of a cell is unknown.
    """
    stds = {one.std.value if one.std else None for one in same}
    with_std = len(stds) == 1 and len(same) > 1
    chances = []
    for one in same:
        chance = _chance_of_mean(one)
        if chance is None:
            return None
        chances.append(chance * _chance_of_std(one) if with_std else chance)
    return max(chances)


def _chance_of_mean(one: PrintedCell) -> float | None:
    """The chance that another cell prints the same mean; None if the deviation is unknown.

    The difference of two means of k runs has the density 1 / (2 sqrt(pi) sigma) at 0, where sigma
    is the standard error of each mean, and falls into one unit of the last digit, or into one step
    of the score if this is larger.
    """
    sigma = _standard_error(one)
    step = step_of(one)
    if not sigma or step is None:
        return None
    return min(1.0, (one.mean.width + step) / (2 * math.sqrt(math.pi) * sigma))


def _chance_of_std(one: PrintedCell) -> float:
    """The chance that another cell prints the same deviation, 1 without a printed one.

    It is that of the mean with the standard error of a deviation.
    """
    if one.std is None or one.runs < 2 or one.std.low <= 0:
        return 1.0
    step = step_of_deviation(one, one.std.value, one.runs)
    sigma = relative_error_of_deviation(one.runs) * one.std.value
    return min(1.0, (one.std.width + (step or 0.0)) / (2 * math.sqrt(math.pi) * sigma))


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


def step_of_deviation(cell: PrintedCell, deviation: float, runs: int) -> float | None:
    """The distance between neighbouring values that a deviation of k runs can have.

    With the sum S and the sum of squares Q of counts, the squared deviation of shares of n records
    is (Q - S^2 / k) / (k - 1) / n^2, and Q changes in steps of two. Hence the deviation s changes
    in steps of about 1 / (s (k - 1) n^2). The result is None if n is unknown.
    """
    if cell.is_continuous:
        return 0.0
    if not cell.records:
        return None
    records = cell.records if cell.is_proportion else SMALLEST_GROUP * cell.records
    return 1 / (deviation * (runs - 1) * records**2)


def _standard_error(cell: PrintedCell) -> float | None:
    """A standard error of the mean that the true one is above, with the certainty UNLUCKY."""
    if not cell.runs:
        return None
    own = math.sqrt(OWN_VARIANCE / cell.runs)
    if cell.std and cell.std.low > 0 and cell.runs > 1:
        freedom = cell.runs - 1
        # the lower end of the confidence interval of a deviation, by the chi-squared law
        smallest = math.sqrt(freedom / float(chdtri(freedom, 1 - UNLUCKY)))
        return own * cell.std.low * smallest
    return own * cell.spread.least if cell.spread else None


def relative_error_of_deviation(runs: int) -> float:
    """The relative standard error of a deviation over k runs, 1 / sqrt(2 (k - 1)), of the own part.

    >>> relative_error_of_deviation(9)
    0.125
    """
    return math.sqrt(OWN_VARIANCE / (2 * (runs - 1)))
