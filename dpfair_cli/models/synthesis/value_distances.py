"""Distances of a made table from the real one, in the units of the data.

They are computed from the private table without noise: whoever publishes them tells of it.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints

CUTS = 4  # quantiles of the real column at which a number is cut for tables of pairs


def value_distances(made: pd.DataFrame, real: pd.DataFrame) -> dict[str, Any]:
    """The distances of columns and of pairs of columns, and the mean or share of each column.

    The distance of a column of numbers is that of Kolmogorov and Smirnov, the largest difference of
    the shares below a value; missing cells count as the largest value. The distance of levels and
    of pairs is the total variation distance.
    """
    columns = {name: _column_distance(made[name], real[name]) for name in real}
    pairs = _pair_distances(made, real)
    column, pair = max(columns, key=columns.__getitem__), max(pairs, key=pairs.__getitem__)
    found: dict[str, Any] = {
        "largest_column_distance": columns[column],
        "farthest_column": column,
        "largest_pair_distance": pairs[pair],
        "farthest_pair": pair,
        "mean_pair_distance": float(np.mean(list(pairs.values()))),
    }
    for name, distance in columns.items():
        found[f"made {name}"] = f"distance {distance:.4f}, {_in_words(made[name], real[name])}"
    return found


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column))


def _column_distance(made: pd.Series, real: pd.Series) -> float:
    """The distance of two columns of numbers or of levels."""
    if not _is_number(real):
        ours, theirs = (column.value_counts(normalize=True) for column in (made, real))
        return float(ours.sub(theirs, fill_value=0).abs().sum() / 2)
    numbers = _numbers(made), _numbers(real)
    below = [_below(column, np.union1d(*numbers)) for column in numbers]
    return float(np.abs(below[0] - below[1]).max())


def _numbers(column: pd.Series) -> Floats:
    """The numbers of a column, with NaN in missing cells, (n,)."""
    return column.to_numpy(dtype=float, na_value=np.nan)


def _below(column: Floats, values: Floats) -> Floats:
    """The share of a column that is at most each value, (values,)."""
    return np.searchsorted(np.sort(column), values, side="right") / len(column)


def _in_words(made: pd.Series, real: pd.Series) -> str:
    """The means of two columns of numbers, or the shares of the most frequent real level."""
    if _is_number(real):
        words = f"mean {made.mean():,.6g} for {real.mean():,.6g}"
        missing = f"missing {made.isna().mean():.1%} for {real.isna().mean():.1%}"
        return f"{words}, {missing}" if made.isna().any() or real.isna().any() else words
    level = real.value_counts().index[0]
    return f"{level} {(made == level).mean():.1%} for {(real == level).mean():.1%}"


def _pair_distances(made: pd.DataFrame, real: pd.DataFrame) -> dict[str, float]:
    """The total variation distance of the tables of each pair of columns."""
    codes = {name: _codes(made[name], real[name]) for name in real}
    found = {}
    for one, other in combinations(codes, 2):
        width = max(part.max() for part in codes[other]) + 1
        ours, theirs = (
            pd.Series(a * width + b).value_counts(normalize=True)
            for a, b in zip(codes[one], codes[other], strict=True)
        )
        found[f"{one}, {other}"] = float(ours.sub(theirs, fill_value=0).abs().sum() / 2)
    return found


def _codes(made: pd.Series, real: pd.Series) -> tuple[Ints, Ints]:
    """The columns as indices: of levels, or of intervals between quantiles of the real column."""
    if _is_number(real):
        ours, theirs = _numbers(made), _numbers(real)
        present = theirs[~np.isnan(theirs)]
        cuts = np.unique(np.quantile(present, np.arange(1, CUTS + 1) / (CUTS + 1)))
        cuts = np.append(cuts, np.inf)  # missing cells are above all numbers
        return np.searchsorted(cuts, ours), np.searchsorted(cuts, theirs)
    levels = pd.Index(pd.concat([real, made]).unique())
    return levels.get_indexer(pd.Index(made)), levels.get_indexer(pd.Index(real))
