"""Questions about columns of a user's table that tell the label nearly alone.

Such a column is often the label in another spelling, or something that was only known after the
label. A model that uses the column is then right about nearly every record, and says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.formats.table_profile import LEAVE_OUT
from dpfair_cli.models.tabular.distinct_texts import DistinctTexts
from dpfair_cli.models.tabular.outside_values import as_numbers

FEW_ERRORS = 0.1  # largest errors of a telling column, relative to those of the frequent label
ROWS_PER_VALUE = 5  # fewer rows for each value would tell the label by chance


def questions_of_telling_columns(
    columns: Mapping[str, DistinctTexts], labels: Ints
) -> Iterator[str]:
    """Yields a question for each column that tells the label nearly alone.

    Args:
        columns: the cells of each column.
        labels: the labels of the rows, 0 or 1, (n,).
    """
    favourable = np.flatnonzero(labels)  # (rows with label 1,)
    n, ones = len(labels), len(favourable)
    constant = min(ones, n - ones)
    for name, cells in columns.items():
        kinds = len(cells.texts)
        texts = _LabelledTexts(
            cells.texts,
            np.bincount(cells.places, minlength=kinds),
            np.bincount(cells.places.take(favourable), minlength=kinds),
        )
        errors = min(_errors_of_levels(texts), _errors_of_limit(texts))
        if constant and errors <= FEW_ERRORS * constant:
            rows = "every row" if not errors else f"{1 - errors / n:.2%} of the rows"
            yield (
                f"{name} alone tells the label of {rows}: if it is the label in another form, or "
                f"not known before the decision, {LEAVE_OUT}"
            )


class _LabelledTexts(NamedTuple):
    """The different texts of a column with the labels of their rows."""

    texts: Sequence[str]
    """The different texts of the column, each once."""
    rows: Ints
    """The number of rows with each text, (texts,)."""
    ones: Ints
    """The number of these rows with label 1, (texts,)."""


def _errors_of_levels(column: _LabelledTexts) -> float:
    """The number of wrong labels if each value of a column stands for its more frequent label.

    Infinite if the column has too many values to tell the label otherwise than by chance.
    """
    _, rows, ones = column
    if ROWS_PER_VALUE * np.count_nonzero(rows) > rows.sum():
        return math.inf
    return int(np.minimum(ones, rows - ones).sum())


def _errors_of_limit(column: _LabelledTexts) -> float:
    """The number of wrong labels if the numbers above the best limit stand for one label.

    Infinite if a cell is not a number.
    """
    texts, rows, ones = column
    n, favourable = rows.sum(), ones.sum()
    numbers = as_numbers(texts)
    numbers, rows, ones = numbers[rows > 0], rows[rows > 0], ones[rows > 0]
    if np.isnan(numbers).any():
        return math.inf
    order = np.argsort(numbers, kind="stable")
    numbers, rows, ones = numbers[order], np.cumsum(rows[order]), np.cumsum(ones[order])
    last = np.append(numbers[1:] > numbers[:-1], True)  # of equal numbers
    rows, below = rows[last], ones[last]  # rows, and labels 1, up to each limit
    wrong = below + (n - rows) - (favourable - below)
    return int(min(wrong.min(), (n - wrong).min()))
