"""The grammar of --eps: `1`, `0.1,1,10`, `0.01..10` (one point a decade), `0.01..10:7` (7 points), `inf`."""

from __future__ import annotations

import math
import re

import numpy as np

from dpfair_cli.contracts import DpfairError

NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"({NUMBER})\.\.({NUMBER})(?::(\d+))?")


def parse(text: str) -> list[float]:
    """The epsilons that `text` stands for, in its order.

    Raises:
        DpfairError: it is not in the grammar, an epsilon is not positive, or a range runs backwards.
    """
    return list(dict.fromkeys(value for part in text.split(",") for value in _part(part.strip(), text)))


def _part(part: str, text: str) -> list[float]:
    if part == "inf":
        return [math.inf]
    if re.fullmatch(NUMBER, part):
        return [_positive(float(part), text)]
    match = RANGE.fullmatch(part)
    if not match:
        raise _error(text, "not a number, list or range")
    low, high = _positive(float(match[1]), text), _positive(float(match[2]), text)
    if low >= high:
        raise _error(text, "the range must rise")
    return _decades(low, high) if match[3] is None else _spaced(low, high, int(match[3]), text)


def _decades(low: float, high: float) -> list[float]:
    """low, 10 low, 100 low, ... up to high, and high itself."""
    steps = math.floor(math.log10(high) - math.log10(low) + 1e-9)
    points = [_clean(10.0 ** (math.log10(low) + step)) for step in range(steps + 1)]
    return points if math.isclose(points[-1], high) else [*points, high]


def _spaced(low: float, high: float, points: int, text: str) -> list[float]:
    if points < 2:
        raise _error(text, "a range has at least 2 points")
    return [_clean(float(value)) for value in np.geomspace(low, high, points)]


def _clean(value: float) -> float:
    """The number a person would write: 0.1, not 0.1000000000000001."""
    return float(f"{value:.6g}")


def _positive(value: float, text: str) -> float:
    if not 0 < value < math.inf:
        raise _error(text, "epsilon must be positive")
    return value


def _error(text: str, cause: str) -> DpfairError:
    return DpfairError(f"--eps {text!r}: {cause}; write for example 0.1,1,10 or 0.01..10 or 0.01..10:7 or inf")
