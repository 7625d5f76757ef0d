"""The rule that replaces cells outside the public schema, so that no row is refused.

A cell stands for a level if both are the same text or the same number. A sign of a missing value,
such as an empty cell or NA, stands for the level `missing` if the column has this level. A number
is clipped to its range. Text, an empty cell or nan in a numeric column becomes the middle of the
range; a second attribute can say so (contracts/missing_numbers.py). In a categorical column, a cell
that stands for no level becomes the last listed level. The rule looks at one cell at a time.
Replacing a row therefore changes no other row. The rule is computed once for each of the different
texts of a column.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.contracts.missing_numbers import MISSING, PRESENT, IsMissing, NumberOrMissing
from dpfair_cli.contracts.schemas import Categorical, Numeric

MISSING_LEVEL = "missing"  # the level for cells without a value, if a column has this level
MISSING_SIGNS = (  # usual signs of a missing value
    *("", "?", "NA", "N/A", "n/a", "#N/A", "nan", "NaN"),
    *("null", "NULL", "None", "<NA>"),
)


@dataclass(frozen=True, eq=False)
class NumberTexts(Sequence[str]):
    """The texts of numbers, which are made when they are asked for.

    >>> list(NumberTexts(np.array([1.0, 0.25])))
    ['1', '0.25']
    """

    numbers: Floats
    """The numbers whose texts are asked for, (texts,)."""

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: Any) -> Any:
        found = self.numbers[place]
        return NumberTexts(found) if isinstance(place, slice) else as_text(float(found))


@dataclass(frozen=True, eq=False)
class DistinctTexts:
    """The cells of a column as its different texts and the place of each cell's text.

    >>> column = distinct_texts(["b", "a", "b"])
    >>> column.texts, column.places.tolist(), column.counts()
    (['b', 'a'], [0, 1, 0], Counter({'b': 2, 'a': 1}))
    """

    texts: Sequence[str]
    """The different texts, by default in order of their first appearance."""
    places: Ints
    """The index in `texts` of each cell, (n,)."""

    def __len__(self) -> int:
        return len(self.places)

    def counts(self) -> Counter[str]:
        """How often each text occurs in the column, for the texts that occur."""
        found = self.occurrences().tolist()
        return Counter({text: n for text, n in zip(self.texts, found, strict=True) if n})

    def occurrences(self) -> Ints:
        """How often each of `texts` occurs in the column, (texts,)."""
        return np.bincount(self.places, minlength=len(self.texts))

    def where(self, texts: Iterable[str]) -> Mask:
        """Whether each cell has one of `texts`, (n,)."""
        wanted = {*texts}
        return np.array([text in wanted for text in self.texts], dtype=bool)[self.places]

    def replaced(self, texts: Sequence[str]) -> pd.Categorical:
        """The column with texts[k] in place of the k-th different text."""
        code_of: dict[str, int] = {}  # several texts can become one
        codes = np.array([code_of.setdefault(text, len(code_of)) for text in texts], dtype=int)
        return as_categorical(list(code_of), codes[self.places])


def as_categorical(texts: Sequence[str], places: Ints) -> pd.Categorical:
    """A column for a DataFrame from its different texts and the place of each cell's text."""
    different: Any = np.array(texts, dtype=object)  # pandas would guess another type
    found: Any = pd.Categorical.from_codes(places, categories=pd.Index(different, dtype=object))
    return found  # type: ignore[no-any-return]


def distinct_texts(cells: pd.Series | Sequence[str]) -> DistinctTexts:
    """The different texts of a column, whose cells are all texts or all numbers."""
    if isinstance(cells, pd.Series) and cells.dtype == float:
        which, numbers = pd.factorize(cells.to_numpy())
        smallest = np.min_scalar_type(-1 - len(numbers))  # signed: the place of NaN is -1
        return DistinctTexts(NumberTexts(numbers), which.astype(smallest))
    if isinstance(cells, pd.Series) and isinstance(cells.dtype, pd.CategoricalDtype):
        return DistinctTexts(cells.cat.categories.tolist(), np.asarray(cells.cat.codes))
    place_of: dict[str, int] = {}
    places = [place_of.setdefault(text, len(place_of)) for text in cells]
    return DistinctTexts(list(place_of), np.array(places, dtype=int))


def texts_of_columns(frame: pd.DataFrame) -> dict[str, DistinctTexts]:
    """The different texts of every column of a table."""
    return {str(name): distinct_texts(frame[name]) for name in frame}


def as_text(value: Any) -> str:
    """A value as a csv file would contain it: a whole number without a decimal point.

    >>> as_text(1.0), as_text(0.5), as_text(" a ")
    ('1', '0.5', 'a')
    """
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if whole else str(value).strip()


def moved_inside(
    frame: pd.DataFrame, attributes: Mapping[str, Numeric | Categorical]
) -> pd.DataFrame:
    """The columns that `attributes` names, with each cell a listed level or a number in its range.

    Args:
        frame: cells as text, or as numbers without NaN.
        attributes: the public levels or range of each column.
    """
    return pd.DataFrame(
        {name: _inside(frame[name], kind) for name, kind in attributes.items()}, copy=False
    )


def with_missing(
    frame: pd.DataFrame, attributes: Mapping[str, Numeric | Categorical]
) -> pd.DataFrame:
    """The cells of a table, and for each attribute `IsMissing` whether they are missing."""
    seconds = {name: kind for name, kind in attributes.items() if isinstance(kind, IsMissing)}
    found = {name: is_missing(frame[kind.of]) for name, kind in seconds.items()}
    levels = {name: as_categorical((PRESENT, MISSING), cells * 1) for name, cells in found.items()}
    return frame.assign(**levels)


def is_missing(column: pd.Series) -> Mask:
    """Whether each cell of a column of numbers is no number, (n,)."""
    cells = distinct_texts(column)
    return np.asarray(np.isnan(as_numbers(cells.texts))[cells.places])


@dataclass(frozen=True)
class OutsideCells:
    """The cells of a column that are not a listed level, or not a number in the public range."""

    count: int
    """The number of these cells."""
    first: str
    """The first of these cells; empty if there are none."""

    def followed_by(self, later: OutsideCells) -> OutsideCells:
        """These cells and the cells of later rows of the column."""
        first = self.first if self.count else later.first
        return OutsideCells(self.count + later.count, first)


def count_outside(
    columns: Mapping[str, DistinctTexts], attributes: Mapping[str, Numeric | Categorical]
) -> int:
    """The number of cells that are not a listed level, or not a number in the public range.

    `attributes` has the public levels or the range of each of the `columns` that count.
    """
    return sum(texts_outside(columns[name], kind).total() for name, kind in attributes.items())


def cells_outside(
    frame: pd.DataFrame, attributes: Mapping[str, Numeric | Categorical]
) -> dict[str, OutsideCells]:
    """The cells of each column that are not a listed level, or not a number in the range.

    `attributes` has the public levels or the range of each column.
    """
    columns = {name: distinct_texts(frame[name]) for name in attributes}
    return {name: _outside(columns[name], kind) for name, kind in attributes.items()}


def _outside(cells: DistinctTexts, kind: Numeric | Categorical) -> OutsideCells:
    """The cells of a column that are no level, or no number in the range, of the column."""
    found = texts_outside(cells, kind)
    first = cells.texts[cells.places[cells.where(found).argmax()]] if found else ""
    return OutsideCells(found.total(), first)


def texts_outside(cells: DistinctTexts, kind: Numeric | Categorical) -> Counter[str]:
    """How often each text occurs that is no level, or no number in the range, of a column."""
    if isinstance(kind, Categorical):
        outside = np.array([level is None for level in as_levels(cells.texts, kind.levels)])
    else:
        numbers = as_numbers(cells.texts)
        outside = ~((kind.low <= numbers) & (numbers <= kind.high))
    counts = cells.occurrences()
    places = np.flatnonzero(outside & (counts > 0)).tolist()
    found = Counter({cells.texts[k]: int(counts[k]) for k in places})
    # a level of the column
    for sign in MISSING_SIGNS if isinstance(kind, NumberOrMissing) else ():
        found.pop(sign, None)
    return found


def as_levels(cells: Sequence[str], levels: Sequence[str]) -> list[str | None]:
    """The level that each cell stands for; None for a cell that stands for no level.

    A cell stands for the level with the same text or, for a level that is a number, with the same
    number: 1.0 stands for the level 1. If several levels are the same number, such as 1 and 01, the
    text decides. A sign of a missing value stands for the level `missing`, if it is listed.

    >>> as_levels(["1.0", "a", "b", "?"], ["0", "1", "missing", "a"])
    ['1', 'a', None, 'missing']
    """
    known: dict[str, str | None] = {level: level for level in levels}
    if MISSING_LEVEL in levels:
        known = {**dict.fromkeys(MISSING_SIGNS, MISSING_LEVEL), **known}
    # with repetitions, which are counted below
    numbers = [number for number in map(as_number, levels) if not math.isnan(number)]
    by_number = {
        as_number(level): level for level in levels if numbers.count(as_number(level)) == 1
    }
    for text in set(cells) - known.keys():  # each different text once
        known[text] = by_number.get(as_number(text))
    return [known[text] for text in cells]


def levels_of_values(values: Sequence[Any], levels: Sequence[str]) -> list[str | None]:
    """The level that each Python value stands for; None for a value that stands for no level.

    A value stands for the level of its text, by the rule of `as_levels`. True also stands for the
    level 1, and False for the level 0.

    >>> levels_of_values([1, 0.0, True, "b"], ["0", "1"])
    ['1', '0', '1', None]
    """
    found = as_levels(list(map(as_text, values)), levels)  # "True" may be a level itself
    if not any(isinstance(value, bool) for value in values):
        return found
    numbers = [str(int(value)) if isinstance(value, bool) else "" for value in values]
    by_number = as_levels(numbers, [level for level in levels if level])
    return [level or other for level, other in zip(found, by_number, strict=True)]


def _inside(column: pd.Series, kind: Numeric | Categorical) -> pd.Categorical | Floats:
    if isinstance(kind, Numeric) and column.dtype == float:
        return _numbers_inside(column.to_numpy(), kind)
    cells = distinct_texts(column)
    if isinstance(kind, Categorical):
        levels = as_levels(cells.texts, kind.levels)
        return cells.replaced([level or kind.levels[-1] for level in levels])
    numbers = as_numbers(cells.texts)  # (texts,)
    middle = kind.low + (kind.high - kind.low) / 2
    inside = np.where(np.isnan(numbers), middle, numbers.clip(kind.low, kind.high))
    return np.asarray((inside + 0.0)[cells.places])  # + 0.0 turns -0.0 into 0.0


def _numbers_inside(numbers: Floats, kind: Numeric) -> Floats:
    """The numbers clipped to the range, with 0.0 for -0.0: the same array if nothing changes."""
    least, largest = numbers.min(initial=kind.high), numbers.max(initial=kind.low)
    negative_zeros = np.signbit(numbers) & (numbers == 0)
    if kind.low <= least and largest <= kind.high and not negative_zeros.any():
        return numbers
    # a copy: the table keeps its own numbers
    inside: Floats = np.clip(numbers, kind.low, kind.high)
    inside += 0.0
    return inside


def as_number(text: str) -> float:
    """The number that Python's `float` reads from a text; NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def as_numbers(texts: Sequence[str]) -> Floats:
    """The number that each text stands for by `as_number`, (texts,)."""
    if isinstance(texts, NumberTexts):
        return texts.numbers
    try:
        return np.array(texts, dtype=object).astype(float)  # `float` of each, without Python's loop
    except ValueError:
        return np.array([as_number(text) for text in texts], dtype=float)
