"""Discretisation of a table: every column becomes integer codes, and codes become a table again.

The codes are `Observations`, to which a Bayesian network can be fitted. The module `encoding` makes
features in [0, 1] for a classifier (`Records`), and `decoding` turns such records into a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.contracts.schemas import Numeric, Schema
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.tabular.encoding import codes

BINS = 16  # bins of a numeric column for which no bins are given; our choice
Values = Ints | tuple[str, ...]
"""The meaning of the codes 0, 1, ..., as levels or as (first, last) integers of bins, (bins, 2)."""


def public_values(
    frame: pd.DataFrame, schema: Schema, firsts: Mapping[str, Sequence[int]]
) -> dict[str, Values]:
    """The bins or levels of each column: attributes, protected column, label.

    The two values of the label are read from `frame` and assumed to be public. `firsts` has the
    first integers of the bins of numeric columns; other numeric columns get BINS even bins.
    """
    values: dict[str, Values] = {}
    for name, kind in schema.attributes.items():
        if isinstance(kind, Numeric):
            values[name] = bins(kind, firsts.get(name, ()))
        else:
            values[name] = kind.levels
    labels = sorted(frame[schema.label].unique(), key=lambda value: value == schema.positive)
    return {**values, schema.protected: schema.groups, schema.label: tuple(labels)}


def bins(kind: Numeric, firsts: Sequence[int] = ()) -> Ints:
    """The first and the last integer of each public bin of a numeric column, (bins, 2).

    `firsts` are the first integers of the bins; without them, the bins have equal width.
    """
    even = np.linspace(kind.low, kind.high + 1, BINS + 1)[:-1].astype(int)
    starts = np.unique(np.array(firsts) if len(firsts) else even)
    return np.column_stack([starts, np.append(starts[1:] - 1, int(kind.high))])


def discretise(frame: pd.DataFrame, values: Mapping[str, Values]) -> Observations:
    """The columns of `frame` that are keys of `values`, as codes of their bins or levels.

    Raises:
        DpfairError: a column has a level that is not in `values`.
    """
    columns = [_column_codes(frame[name], known) for name, known in values.items()]
    return Observations(np.column_stack(columns), tuple(values), tuple(map(len, values.values())))


def values_from_codes(
    observations: Observations,
    values: Mapping[str, Values],
    columns: Sequence[str],
    *,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """A table with these columns, in which codes are replaced by values.

    A code is replaced by its level, or by a random integer of its bin.
    """
    column_codes = dict(zip(observations.names, observations.values.T, strict=True))
    return pd.DataFrame(
        {name: _column_values(column_codes[name], values[name], rng) for name in columns}
    )


def _column_codes(column: pd.Series, values: Values) -> Ints:
    if isinstance(values, tuple):
        return codes(column, values)
    return np.asarray(np.searchsorted(values[:, 0], column.to_numpy(dtype=int), side="right") - 1)


def _column_values(
    column_codes: Ints, values: Values, rng: np.random.Generator
) -> NDArray[np.generic]:
    if isinstance(values, tuple):
        return np.asarray(values)[column_codes]
    return np.asarray(rng.integers(values[column_codes, 0], values[column_codes, 1] + 1))
