"""Columns of numbers that name the rows and say nothing of them: an index, an identifier."""

from __future__ import annotations

from collections.abc import Sequence

FEWEST_COUNTED = 5  # rows from which on 0, 1, 2, ... is an index
IDENTIFIER_ROWS = (
    50  # from which on whole numbers that are all different count rows rather than anything in them
)
COUNTS, NAMES = "the number of the row, an index", "another whole number in each row, an identifier"


def describe_identifier(numbers: Sequence[float], *, unnamed: bool) -> str:
    """What tells that a column names the rows, in words; empty where nothing does.

    A column without a name in the heading is what writers of csv files put there for the index.
    """
    if len(set(numbers)) < len(numbers) or not all(number.is_integer() for number in numbers):
        return ""
    counted = {
        number - k for k, number in enumerate(numbers)
    }  # of an index, the first number alone
    if len(numbers) >= FEWEST_COUNTED and counted in ({0}, {1}):
        return COUNTS
    return NAMES if unnamed or len(numbers) >= IDENTIFIER_ROWS else ""
