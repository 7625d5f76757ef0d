"""Columns of numbers that identify the rows and carry no information: indices and identifiers."""

from __future__ import annotations

from collections.abc import Sequence

FEWEST_COUNTED = 5  # number of rows from which 0, 1, 2, ... is an index; our rule of thumb
IDENTIFIER_ROWS = 50  # likewise for different whole numbers as identifiers; our rule of thumb
COUNTS = "the number of the row, an index"
NAMES = "a different whole number in each row, an identifier"


def describe_identifier(numbers: Sequence[float], *, unnamed: bool) -> str:
    """The reason why a column seems to identify the rows; an empty text for other columns.

    `unnamed` says that the column has no name in the heading, as a row index in a csv file.
    """
    if len(set(numbers)) < len(numbers) or not all(number.is_integer() for number in numbers):
        return ""
    offsets = {number - k for k, number in enumerate(numbers)}  # one value if they count up
    if len(numbers) >= FEWEST_COUNTED and offsets in ({0}, {1}):
        return COUNTS
    return NAMES if unnamed or len(numbers) >= IDENTIFIER_ROWS else ""
