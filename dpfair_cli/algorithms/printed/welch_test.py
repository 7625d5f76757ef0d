"""Welch's test of each printed difference, with two one-sided tests of its equivalence to zero.

Source: Welch 1947; Holm 1979; Schuirmann 1987.
Differs: The tests use the printed means, standard deviations and numbers of runs. The power treats
    the standard error as known. A comparison whose two deviations are 0 stays undecided, because
    equal runs are no estimate of a deviation.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import scipy  # which imports `scipy.stats` when it is used

from dpfair_cli.contracts.arrays import Floats, Mask
from dpfair_cli.contracts.declarations import Algorithm
from dpfair_cli.contracts.parameters import Fraction, Positive, checked
from dpfair_cli.kinds.printed_comparisons import PrintedComparisons, PrintedSide
from dpfair_cli.models.printed.decisions import Decisions

Correction = Literal["none", "holm"]
WANTED_POWER = 0.8  # the usual power of a planned study
MOST_RUNS = 100_000  # beyond this number a search for the number of runs ends


@checked
def fit(
    comparisons: PrintedComparisons,
    *,
    level: Fraction = 0.05,
    correction: Correction = "none",
    margin: Positive = 0.05,
    rng: np.random.Generator,
) -> Decisions:
    """The decisions of both tests about each comparison; `rng` is not used.

    A difference is significant if the two-sided p-value of Welch's test is below `level`. Two
    values are equivalent if the interval of the difference with confidence 1 - 2 `level` is inside
    the margin.

    Args:
        level: The level of each test.
        correction: Whether the levels of the tests of a difference are Holm's, over all
            comparisons ("holm"), or `level` ("none").
        margin: The largest difference that counts as none.

    Raises:
        ValueError: a standard deviation is not printed, or a value is from a single run.
    """
    _require_deviations(comparisons)
    first, second = comparisons.first, comparisons.second
    difference = second.mean - first.mean  # (n,)
    error, degrees = _standard_error(first, second)  # (n,), (n,)
    known = error > 0
    ratio = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=known)
    p = np.where(known, 2 * scipy.stats.t.sf(ratio, degrees), 1.0)
    significant = p < level if correction == "none" else _holm(p, level)
    equivalence_width = scipy.stats.t.ppf(1 - level, degrees) * error
    return Decisions(
        lower=significant & (difference < 0),
        higher=significant & (difference > 0),
        equivalent=known & (np.abs(difference) + equivalence_width < margin),
        p=p,
        difference=difference,
        half_width=scipy.stats.t.ppf(1 - level / 2, degrees) * error,
        power=np.where(known, _power(margin, error, degrees, level), np.nan),
        runs_needed=_runs_needed(first, second, margin, level),
    )


def _require_deviations(comparisons: PrintedComparisons) -> None:
    """Raises an error if a side has a comparison without a deviation or with a single run."""
    for side in (comparisons.first, comparisons.second):
        if np.isnan(side.std).any() or (side.runs < 2).any():
            raise ValueError(
                "Welch's test needs a printed standard deviation and at least 2 runs of every "
                "value: use the sign test for single values"
            )


def _standard_error(first: PrintedSide, second: PrintedSide) -> tuple[Floats, Floats]:
    """The standard errors of the differences, and Welch's degrees of freedom, (n,) and (n,)."""
    parts = np.array([side.std**2 / side.runs for side in (first, second)])  # (2, n)
    variance = parts.sum(axis=0)
    below = parts[0] ** 2 / (first.runs - 1) + parts[1] ** 2 / (second.runs - 1)
    smallest = np.minimum(first.runs, second.runs) - 1.0
    degrees = np.divide(variance**2, below, out=smallest, where=below > 0)
    return np.sqrt(variance), degrees


def _holm(p: Floats, level: float) -> Mask:
    """Whether each of n p-values is significant by Holm's rule, (n,)."""
    order = np.argsort(p, kind="stable")
    passed = p[order] < level / np.arange(len(p), 0, -1)
    significant = np.zeros(len(p), dtype=bool)
    significant[order] = np.logical_and.accumulate(passed)
    return significant


def _power(margin: float, error: Floats, degrees: Floats, level: float) -> Floats:
    """The probability that a true difference of zero is decided to be equivalent, (n,).

    The difference is normal with the standard deviation `error`, which the test knows.
    """
    scaled = np.divide(margin, error, out=np.full_like(error, np.inf), where=error > 0)
    room = scaled - scipy.stats.t.ppf(1 - level, degrees)
    return np.asarray(np.maximum(0.0, 2 * scipy.stats.norm.cdf(room) - 1))


def _runs_needed(first: PrintedSide, second: PrintedSide, margin: float, level: float) -> Floats:
    """The smallest numbers of runs of each side with the wanted power, NaN if unknown, (n,)."""
    needed = np.full(len(first.mean), np.nan)
    runs = 2
    while runs <= MOST_RUNS and np.isnan(needed).any():
        sides = [side._replace(runs=np.full(len(needed), runs)) for side in (first, second)]
        error, degrees = _standard_error(*sides)
        reached = (_power(margin, error, degrees, level) >= WANTED_POWER) & (error > 0)
        needed[reached & np.isnan(needed)] = runs
        runs += 1
    return needed


ALGORITHM = Algorithm(fit, version=1, source="Welch 1947; Holm 1979; Schuirmann 1987")
