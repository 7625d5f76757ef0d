"""What the scores of k runs can be: bounds on deviations, and means of whole counts."""

from __future__ import annotations

import math

WHOLE = 1e-9  # how far a number may be from a whole number because of floating-point arithmetic


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
