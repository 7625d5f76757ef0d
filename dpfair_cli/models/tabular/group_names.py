"""The names of groups, from one column of values of any type or from several columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.models.tabular.distinct_texts import as_text
from dpfair_cli.models.tabular.outside_values import levels_of_values


def group_values(values: Any, n: int) -> list[Any]:
    """The group of each record, (n,); the texts of several columns are joined by a comma.

    Raises:
        ValueError: `values` does not have one row for each of the n records, or a group is missing.
    """
    table = np.asarray(values)
    if table.ndim not in (1, 2) or len(table) != n:
        raise ValueError(
            f"sensitive_features must have one group for each of {n} records, got the shape "
            f"{table.shape}"
        )
    rows = table.reshape(n, -1)
    missing = np.flatnonzero(pd.isna(rows).any(axis=1))
    if len(missing):
        raise ValueError(
            f"sensitive_features lacks the group of {len(missing)} of {n} records, such as record "
            f"{missing[0]}: leave out these records, or give them a group with a name"
        )
    if rows.shape[1] == 1:
        return list(rows[:, 0].tolist())
    return [", ".join(map(as_text, row)) for row in rows.tolist()]


def places_of(values: Sequence[Any], known: Sequence[str]) -> Ints:
    """The index of each of the values in `known`, (n,); -1 for a value that is not in `known`.

    A value is in `known` if it has the same text or is the same number, as in a file.
    """
    place: dict[str | None, int] = {name: k for k, name in enumerate(known)}
    levels = levels_of_values(values, known)
    return np.array([place.get(level, -1) for level in levels], dtype=np.int64)
