"""Numbers that cannot be what they are said to be, given what is declared about them.

Each check yields a proof for each cell, or group of cells, about which enough is known. A number
that another method prints too, to all digits, is impossible only if it is by the runs of both
(`PrintedPaper.runs_behind`).

Brown and Heathers 2017 ("GRIM") compare a printed mean with the multiples of 1/n; Anaya 2016
("GRIMMER") does the same with the deviation. Here, the mean of k runs on n test records is a
multiple of 1/(k n).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpfair_cli.addons.forensics.declaration import found
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Kind, proved
from dpfair_cli.addons.forensics.printed import PrintedPaper, groups
from dpfair_cli.addons.forensics.samples import has_counts, has_multiple, largest_deviation
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon

MOST_SUMS = 2_000  # of counts that fit a mean; with more, some deviation fits
TOLERANCE = 0.02  # between accountants, as a share of epsilon


def check_ranges(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof for each cell whose score has a range: that a rate is at most 1, say."""
    for cell in paper.cells:
        low, high = cell.range
        if math.isfinite(low) or math.isfinite(high):
            # a number that is out of range by its rounding alone is possible
            is_possible = low <= cell.mean.high and cell.mean.low <= high
            what = f"{cell.as_printed} is not in {low:g} to {high:g}"
            yield proved(Kind.RANGE, [cell], is_possible, what)


def check_deviations(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof that k values in the range of a score can vary as much as is printed.

    It exists for each cell with a deviation, a number of runs and a range.
    """
    for cell in paper.cells:
        runs = paper.runs_behind(cell)
        low, high = cell.range
        # without a lower end of the range, any deviation fits any mean
        if not cell.std or not all(runs) or not math.isfinite(low):
            continue
        mean = cell.mean
        most = max(largest_deviation(mean.low, mean.high, number, cell.range) for number in runs)
        values = f"[{low:g}, {high:g}]" if math.isfinite(high) else f"[{low:g}, infinity)"
        what = (
            f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} values in "
            f"{values}: the deviation is at most {most:.4g}"
        )
        yield proved(Kind.DEVIATION, [cell], cell.std.low <= most, what)


def check_counts(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof for each proportion that is printed with enough digits to decide.

    The digits decide if the interval of numbers that are printed alike is narrower than the
    distance 1/(k n) of neighbouring shares of k runs on n test records.
    """
    for cell in paper.cells:
        parts = [cell.records * runs for runs in paper.runs_behind(cell)]
        if cell.is_proportion and all(parts) and 2 * cell.mean.half * max(parts) < 1:
            what = (
                f"{cell.as_printed} is no multiple of 1/{cell.records * cell.runs:,} "
                f"({cell.records:,} test records, number of runs: {cell.runs})"
            )
            is_possible = any(has_multiple(cell.mean.low, cell.mean.high, one) for one in parts)
            yield proved(Kind.COUNTS, [cell], is_possible, what)


def check_squares(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof for each proportion with a deviation, if few sums of counts fit its mean."""
    for cell in paper.cells:
        runs = paper.runs_behind(cell)
        sums = 2 * cell.mean.half * cell.records * max(runs)
        # an unknown number of runs is 0, and the deviation of one run says nothing
        if not (cell.is_proportion and cell.std and min(runs) > 1 and 0 < sums < MOST_SUMS):
            continue
        mean, std = (cell.mean.low, cell.mean.high), (cell.std.low, cell.std.high)
        is_possible = any(has_counts(mean, std, number, cell.records) for number in runs)
        what = (
            f"{cell.as_printed} cannot be mean and standard deviation of {cell.runs} shares of "
            f"{cell.records:,} test records"
        )
        yield proved(Kind.SQUARES, [cell], is_possible, what)


def check_budgets(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof that the stated noise costs at most the stated epsilon.

    There is one for each declared noise and each epsilon for which it is stated; all its cells have
    the same label.
    """
    declared = paper.declaration.noise
    noisy = [one for one in paper.cells if found(declared, one.published)]
    stated = groups(noisy, lambda one: (found(declared, one.published), one.epsilon))
    for (noise, claimed), cells in stated.items():
        if not noise or not math.isfinite(claimed):
            continue
        steps = NoisySteps(noise.sigma, noise.sampling_rate, noise.steps)
        spent = spent_epsilon([steps], noise.delta)
        what = (
            f"the label epsilon {claimed:g} of these cells, not their scores: the noise multiplier "
            f"{noise.sigma:g} with the sampling rate {noise.sampling_rate:.4g} and "
            f"{noise.steps:,} steps costs epsilon {spent:.4g} at delta {noise.delta:g}"
        )
        yield proved(Kind.BUDGET, cells, spent <= (1 + TOLERANCE) * claimed, what)
