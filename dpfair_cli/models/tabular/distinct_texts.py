"""The different texts of a column, so that a rule for texts is computed once for each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints, Mask


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
