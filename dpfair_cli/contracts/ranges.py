"""The grammar of lists of numbers, such as `0.1,1,10` or `0.01..10`.

A list has parts that are separated by commas. A part is a number (`1`, `inf`) or a range, such as
`0.01..10`, `0.01..10:7` or `0.1..1 by 0.1`. `low..high` has one point a decade, `low..high:7` has
seven points evenly on a log scale, and `low..high by step` has equal steps. The option `--eps` and
every parameter that is a tuple of numbers use this grammar.
"""

from __future__ import annotations

import math
import re

import numpy as np

NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?::(\d+)|\s+by\s+({NUMBER}))?")
EXAMPLES = "write for example 0.1,1,10 or 0.01..10 or 0.01..10:7 or inf"
DIGITS = 9  # decimals of a point with equal steps, so that 0.1 is the same point in two ranges


def parse_ranges(text: str, name: str) -> list[float]:
    """The numbers that `text` stands for, in the order of the text, without repetitions.

    `name` is the name of the parameter in an error message.

    Raises:
        ValueError: the text does not follow the grammar, a point of a log scale is not positive, or
            the last number of a range is not larger than the first.
    """
    try:
        return list(
            dict.fromkeys(value for part in text.split(",") for value in _parse_part(part.strip()))
        )
    except ValueError as error:
        raise ValueError(f"{name} {text!r}: {error}; {EXAMPLES}") from error


def parse_epsilons(text: str) -> list[float]:
    """The privacy budgets that the text of `--eps` stands for.

    Raises:
        ValueError: the text does not follow the grammar, or an epsilon is not positive.
    """
    found = parse_ranges(text, "--eps")
    if min(found) <= 0:
        raise ValueError(f"--eps {text!r}: every epsilon must be positive; {EXAMPLES}")
    return found


def _parse_part(part: str) -> list[float]:
    if part == "inf":
        return [math.inf]
    if re.fullmatch(NUMBER, part) and math.isfinite(float(part)):
        return [float(part)]
    match = RANGE.fullmatch(part)
    if not match:
        raise ValueError("each part must be a number or a range")
    low, high = float(match[1]), float(match[2])
    if match[4] is None and not low > 0:
        raise ValueError("both ends of a range on a log scale must be positive")
    if low >= high:
        raise ValueError("the last number of a range must be larger than the first")
    if match[4] is not None:
        return _equal_steps(low, high, float(match[4]))
    return _decades(low, high) if match[3] is None else _log_spaced(low, high, int(match[3]))


def _equal_steps(low: float, high: float, step: float) -> list[float]:
    """The numbers low, low + step, ... up to high."""
    if step <= 0:
        raise ValueError("the step of a range must be positive")
    count = math.floor((high - low) / step + 1e-9) + 1
    return [round(low + k * step, DIGITS) for k in range(count)]


def _decades(low: float, high: float) -> list[float]:
    """The numbers low, 10 low, 100 low, ... up to high, and high itself."""
    steps = math.floor(math.log10(high) - math.log10(low) + 1e-9)
    points = [_six_digits(10.0 ** (math.log10(low) + step)) for step in range(steps + 1)]
    return points if math.isclose(points[-1], high) else [*points, high]


def _log_spaced(low: float, high: float, points: int) -> list[float]:
    if points < 2:
        raise ValueError("a range must have at least 2 points")
    return [_six_digits(float(value)) for value in np.geomspace(low, high, points)]


def _six_digits(value: float) -> float:
    """The number rounded to six significant digits: 0.1, not 0.1000000000000001."""
    return float(f"{value:.6g}")
