"""Records of a large table, whose features are encoded only for the records that are taken.

The features of a table need more memory than its cells. The features of all rows are therefore not
made before the records are split, unless a function asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.schemas import ColumnType, Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import (
    ROWS_AT_ONCE,
    Encoding,
    codes,
    encode_unchecked,
    features_of,
    numbers_or_places,
    places_in,
)


class UnencodedRecords(Records):
    """The records that `encode_unchecked` returns for the same arguments.

    `cells` are the rows of the table, each cell a listed level or a number in its range.
    """

    _columns: Mapping[str, Floats | Ints]
    _kinds: Mapping[str, ColumnType]
    _encoding: Encoding

    def __init__(self, cells: pd.DataFrame, schema: Schema, encoding: Encoding) -> None:
        kinds = schema.attributes
        columns = {name: numbers_or_places(cells[name], kind) for name, kind in kinds.items()}
        y = places_in(cells[schema.label], (schema.positive,)) + 1
        protected = codes(cells[schema.protected], schema.groups)
        y.flags.writeable = protected.flags.writeable = False
        self.__dict__.update(
            _columns=columns,
            _kinds=kinds,
            _encoding=encoding,
            y=y,
            protected=protected,
            domain=encode_unchecked(cells[:0], schema, encoding=encoding).domain,
        )

    @cached_property
    def X(self) -> Floats:  # noqa: N802
        """Features in [0, 1], (n, d), which are kept once they are made."""
        return self._encoded(np.arange(len(self))).X

    def __len__(self) -> int:
        return len(self.y)

    def take(self, rows: Ints) -> Records:
        """The records whose indices are `rows`, in the order of `rows`."""
        return super().take(rows) if "X" in self.__dict__ else self._encoded(rows)

    def _encoded(self, rows: Ints) -> Records:
        """The same records as those of `take`, with features that are made from the cells."""
        X = np.empty((len(rows), len(self.columns)))
        for first in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[first : first + ROWS_AT_ONCE]
            blocks = [
                features_of(self._columns[name].take(some), kind, self._encoding)
                for name, kind in self._kinds.items()
            ]
            np.concatenate(blocks, axis=1, out=X[first : first + len(some)])
        return Records(X, self.y[rows], self.protected[rows], self.domain)
