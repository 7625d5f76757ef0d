"""A tidy table and its public schema become codes of categories, numbers in bins, and codes become
a table again.
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

BINS = 16  # of a number without bins of its own
Values = (
    Ints | tuple[str, ...]
)  # first and last whole number of each bin, (bins, 2), or levels; k is coded as k


def public_values(
    frame: pd.DataFrame, schema: Schema, firsts: Mapping[str, Sequence[int]]
) -> dict[str, Values]:
    """The bins or levels of each column: attributes, protected column, label. The two labels are
    taken as public.

    `firsts` gives the first whole number of each bin where not 16 even bins are wanted.
    """
    attributes = {
        name: bins(kind, firsts.get(name, ())) if isinstance(kind, Numeric) else kind.levels
        for name, kind in schema.attributes.items()
    }
    labels = tuple(sorted(frame[schema.label].unique(), key=lambda value: value == schema.positive))
    return {**attributes, schema.protected: schema.groups, schema.label: labels}


def bins(kind: Numeric, firsts: Sequence[int] = ()) -> Ints:
    """First and last whole number of each public bin, (bins, 2)."""
    even = np.linspace(kind.low, kind.high + 1, BINS + 1)[:-1].astype(int)
    starts = np.unique(np.array(firsts) if len(firsts) else even)
    return np.column_stack([starts, np.append(starts[1:] - 1, int(kind.high))])


def coded(frame: pd.DataFrame, values: Mapping[str, Values]) -> Observations:
    """The columns of `frame` that are named in `values`, as codes."""
    columns = [_coded(frame[name], known) for name, known in values.items()]
    return Observations(np.column_stack(columns), tuple(values), tuple(map(len, values.values())))


def decoded(
    observations: Observations,
    values: Mapping[str, Values],
    columns: Sequence[str],
    *,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The table of these columns that the codes stand for: a level, or any whole number of the bin."""
    places = dict(zip(observations.names, observations.values.T, strict=True))
    return pd.DataFrame({name: _decoded(places[name], values[name], rng) for name in columns})


def _coded(column: pd.Series, values: Values) -> Ints:
    if isinstance(values, tuple):
        return codes(column, values)
    return np.asarray(np.searchsorted(values[:, 0], column.to_numpy(dtype=int), side="right") - 1)


def _decoded(places: Ints, values: Values, rng: np.random.Generator) -> NDArray[np.generic]:
    if isinstance(values, tuple):
        return np.asarray(values)[places]
    return np.asarray(rng.integers(values[places, 0], values[places, 1] + 1))
