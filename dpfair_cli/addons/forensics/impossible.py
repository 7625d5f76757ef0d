"""Numbers that cannot be what they are said to be, given what is declared about them.

Each check yields a proof for each cell, or group of cells, about which enough is known. A number
that another method prints too, to all digits, is impossible only if it is by the runs of both
(`PrintedPaper.runs_behind`).

Brown and Heathers 2017 ("GRIM") compare a printed mean with the multiples of 1/n; Anaya 2016
("GRIMMER") does the same with the deviation. Here, the mean of k runs on n test records is a
multiple of 1/(k n). What the scores of k runs can be is computed by the functions at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from dpfair_cli.addons.forensics.declaration import found
from dpfair_cli.addons.forensics.finding import CheckedNumbers, Kind
from dpfair_cli.addons.forensics.printed import PrintedPaper, groups
from dpfair_cli.mechanisms.accounting.accountant import NoisySteps, spent_epsilon

MOST_SUMS = 2_000  # of counts that fit a mean; with more, some deviation fits
WHOLE = 1e-9  # how far a number may be from a whole number because of floating-point arithmetic
TOLERANCE = 0.02  # between accountants, as a share of epsilon


def check_ranges(paper: PrintedPaper) -> Iterator[CheckedNumbers]:
    """Yields a proof for each cell whose score has a range: that a rate is at most 1, say."""
    for cell in paper.cells:
        low, high = cell.range
        if math.isfinite(low) or math.isfinite(high):
            # a number that is out of range by its rounding alone is possible
            is_possible = low <= cell.mean.high and cell.mean.low <= high
            what = f"{cell.as_printed} is not in {low:g} to {high:g}"
            yield CheckedNumbers(Kind.RANGE, [cell], float(is_possible), what)


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
        yield CheckedNumbers(Kind.DEVIATION, [cell], float(cell.std.low <= most), what)


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
            yield CheckedNumbers(Kind.COUNTS, [cell], float(is_possible), what)


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
        yield CheckedNumbers(Kind.SQUARES, [cell], float(is_possible), what)


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
        yield CheckedNumbers(Kind.BUDGET, cells, float(spent <= (1 + TOLERANCE) * claimed), what)


def largest_deviation(low: float, high: float, runs: int, bounds: tuple[float, float]) -> float:
    """The largest standard deviation (k - 1) of k values inside bounds with a mean in [low, high].

    For a given mean, the deviation is largest if all values but one are at a bound. With values in
    [0, 1] and the sum S = k mean, floor(S) values are 1 and one is S - floor(S). As a function of
    S, the square of this deviation is convex between whole numbers, so that the largest one is at
    an end of the interval or at a whole number inside.

    The result is infinite if a bound is, except for values that are only bounded from below: one
    value is then the whole sum, and the deviation is sqrt(k) times the mean.

    >>> round(largest_deviation(0.045, 0.045, 10, (0.0, 1.0)), 4)  # 0.45 and nine zeros
    0.1423
    """
    least, most = bounds
    if runs < 2:
        return 0.0
    if math.isinf(least):
        return math.inf
    if math.isinf(most):
        return max(high - least, 0.0) * math.sqrt(runs)
    width = most - least
    first, last = (min(max(runs * (m - least) / width, 0.0), runs) for m in (low, high))
    sums = [first, last, *range(math.ceil(first), math.floor(last) + 1)]
    return width * math.sqrt(max(_largest_variance(one, runs) for one in sums))


def _largest_variance(total: float, runs: int) -> float:
    """The largest variance (k - 1) of k values in [0, 1] with the given sum."""
    ones = math.floor(total)
    squares = ones + (total - ones) ** 2
    return max(squares - total**2 / runs, 0.0) / (runs - 1)


def has_multiple(low: float, high: float, parts: int) -> bool:
    """Whether an interval has a multiple of 1 / parts.

    This is GRIM (Brown and Heathers 2017): a mean of k shares of n records is a multiple of 1 / (k
    n).
    """
    return math.ceil(low * parts - WHOLE) <= math.floor(high * parts + WHOLE)


def has_counts(
    mean: tuple[float, float], std: tuple[float, float], runs: int, records: int
) -> bool:
    """Whether k counts out of n can have a mean share and a deviation (k - 1 or k) in intervals.

    The counts x have a whole sum S and a whole sum of squares Q with the parity of S, since x and
    x^2 have the same parity. Q is at least that of counts as equal as possible, and at most that of
    counts at 0 and n (all but one). The squared deviation is (Q - S^2 / k) / (k - 1) / n^2, or with
    k in place of k - 1. These conditions are necessary, so that False is certain.
    """
    first = max(math.ceil(mean[0] * records * runs - WHOLE), 0)
    last = min(math.floor(mean[1] * records * runs + WHOLE), records * runs)
    for total in range(first, last + 1):
        # papers divide by k - 1 or by k, and most do not say by which
        for divisor in (runs - 1, runs):
            if divisor and _has_squares(total, std, runs, records, divisor):
                return True
    return False


def _has_squares(
    total: int, std: tuple[float, float], runs: int, records: int, divisor: int
) -> bool:
    """Whether a sum of squares gives a deviation in an interval, for counts with a given sum.

    Args:
        total: The sum S of the counts.
        std: The ends of the interval of the deviation of the shares.
        runs: The number k of counts.
        records: The number n of which a count is a part.
        divisor: k - 1 or k.
    """
    even, rest = divmod(total, runs)
    full, left = divmod(total, records)
    least = runs * even**2 + 2 * even * rest + rest
    most = full * records**2 + left**2
    unit = divisor * records**2
    low = max(std[0], 0.0) ** 2 * unit + total**2 / runs
    high = std[1] ** 2 * unit + total**2 / runs
    lowest = max(math.ceil(low - WHOLE * max(low, 1.0)), least)
    highest = min(math.floor(high + WHOLE * max(high, 1.0)), most)
    lowest += (lowest - total) % 2
    return lowest <= highest
