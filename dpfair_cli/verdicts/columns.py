"""A column of the rows of runs, with everything about it that many cells or claims ask for."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.verdicts.means import equals_value


class Column:
    """A column of a table, one entry per row; each question is answered once."""

    def __init__(self, entries: pd.Series[Any]) -> None:
        self._entries = entries
        self._equal: dict[Any, Mask] = {}

    @cached_property
    def values(self) -> NDArray[Any]:
        """The entries as they are, (rows,)."""
        return self._entries.to_numpy(dtype=object)

    @cached_property
    def numbers(self) -> Floats:
        """The entries as numbers; NaN for an empty entry, (rows,)."""
        return self._entries.to_numpy(dtype=float)

    @cached_property
    def is_empty(self) -> Mask:
        """Whether each entry is empty, (rows,)."""
        return np.asarray(self._entries.isna(), dtype=bool)

    @cached_property
    def ranks(self) -> Ints:
        """The rank of each entry among the distinct entries; the last for an empty one, (rows,)."""
        ranks, distinct = pd.factorize(self._entries, sort=True)
        return np.asarray(np.where(ranks < 0, len(distinct), ranks), dtype=np.int64)

    def equals(self, value: Any) -> Mask:
        """Whether each entry equals a value to six digits; an empty one equals none, (rows,)."""
        if value not in self._equal:
            self._equal[value] = equals_value(self._entries, value)
        return self._equal[value]

    def fits(self, value: Any) -> Mask:
        """Whether each entry is empty or equals a value to six digits, (rows,)."""
        return self.equals(value) | self.is_empty
