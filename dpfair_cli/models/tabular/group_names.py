"""Groups of records as a caller names them: one value of any kind for each person, or several that
together name one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Ints


def group_names(values: Any, n: int) -> NDArray[Any]:
    """The name of each person's group, (n,); of several columns, their values joined by a comma.

    Raises:
        ValueError: there is not one for each person.
    """
    table = np.asarray(values)
    if table.ndim not in (1, 2) or len(table) != n:
        raise ValueError(
            f"sensitive_features has the shape {table.shape}, not one group for each of {n} records"
        )
    rows = table.reshape(n, -1).tolist()
    return np.array([", ".join(map(str, row)) for row in rows], dtype=str)


def places_of(names: NDArray[Any], known: Sequence[str]) -> Ints:
    """The place of each name among the known ones, (n,); one that is not known counts as the last."""
    place = {name: k for k, name in enumerate(known)}
    return np.array([place.get(name, len(known) - 1) for name in names.tolist()], dtype=np.int64)


def require_known(names: NDArray[Any], known: Sequence[str]) -> None:
    """Refuse a group that is not known.

    Raises:
        ValueError: names it.
    """
    unknown = sorted(set(names.tolist()) - set(known))
    if unknown:
        raise ValueError(
            f"no group {unknown[0]!r} was known when this was fitted: there are {', '.join(known)}"
        )
