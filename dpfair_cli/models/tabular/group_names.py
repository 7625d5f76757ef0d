"""The names of groups, from one column of values of any type or from several columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints


def group_names(values: Any, n: int) -> NDArray[Any]:
    """The name of each record's group, (n,); the values of several columns are joined by a comma.

    Raises:
        ValueError: `values` does not have one row for each of the n records.
    """
    table = np.asarray(values)
    if table.ndim not in (1, 2) or len(table) != n:
        raise ValueError(
            f"sensitive_features must have one group for each of {n} records, got the shape "
            f"{table.shape}"
        )
    rows = table.reshape(n, -1).tolist()
    return np.array([", ".join(map(str, row)) for row in rows], dtype=str)


def places_of(names: NDArray[Any], known: Sequence[str]) -> Ints:
    """The index of each of the names in `known`, (n,); an unknown name gets the last index."""
    place = {name: k for k, name in enumerate(known)}
    return np.array([place.get(name, len(known) - 1) for name in names.tolist()], dtype=np.int64)


def require_known(names: NDArray[Any], known: Sequence[str]) -> None:
    """Refuses a group that the model was not fitted with.

    Raises:
        ValueError: a name is not in `known`.
    """
    unknown = sorted(set(names.tolist()) - set(known))
    if unknown:
        raise ValueError(
            f"the model was fitted without the group {unknown[0]!r}: use one of the groups "
            f"{', '.join(known)}"
        )
