"""A printed number: a value that is known up to rounding."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r"[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?")
FLOAT_ERROR = 1e-7  # of a mean near 1 that a program computed in single precision


@dataclass(frozen=True)
class Rounded:
    """A number that was rounded to its last printed digit.

    >>> rounded("0.048").half
    0.0005
    """

    value: float  # the printed number
    half: float  # half a unit of the last printed digit

    @property
    def low(self) -> float:
        """The smallest number that is printed like this."""
        return self.value - self.half - FLOAT_ERROR

    @property
    def high(self) -> float:
        """The largest number that is printed like this."""
        return self.value + self.half + FLOAT_ERROR

    @property
    def width(self) -> float:
        """The width of the interval of numbers that are printed like this."""
        return self.high - self.low


def rounded(text: str, least_half: float = 0.0) -> Rounded:
    """The number in a text such as "0.048", with half a unit of its last digit.

    `least_half` is used in place of half a unit that is smaller.
    """
    return Rounded(float(text), max(half_unit(text), least_half))


def half_unit(text: str) -> float:
    """Half a unit of the last digit of a number in a text.

    >>> half_unit("1e-5"), half_unit("12")
    (5e-06, 0.5)
    """
    found = NUMBER.fullmatch(text.strip())
    if not found:
        return 0.0
    return 0.5 * 10.0 ** (int(found[2] or 0) - len(found[1]))
