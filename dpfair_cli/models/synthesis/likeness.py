"""How like generated records are to real ones: shares of each level, and columns that differ from
the nearest person.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.kinds.records import Records

MOST_ROWS = 2_000  # generated records that are looked at
AT_ONCE = 200
LAST = 3  # so many columns or more
COLLAPSED = 0.2  # total variation of an attribute: a fifth of the records would have to change


def marginal_differences(made: Records, real: Records) -> Floats:
    """The total variation distance of each attribute's levels, (attributes,)."""
    gaps = np.abs(made.X.mean(axis=0) - real.X.mean(axis=0))
    return np.array([gaps[list(own)].sum() / 2 for own in real.domain.attributes.values()])


def nearest_shares(made: Records, real: Records) -> Floats:
    """The shares of made records who differ from the nearest real one in 0, 1, 2, and LAST or more
    columns, (4,).

    Columns are the attributes, the label and the protected group.
    """
    theirs = _rows(real)  # (n, d + 4)
    ours = _rows(made)[:MOST_ROWS]
    columns = len(real.domain.attributes) + 2
    nearest = [
        columns - (part @ theirs.T).max(axis=1)
        for part in np.array_split(ours, -(-len(ours) // AT_ONCE))
    ]
    counts = np.concatenate(nearest).round().astype(np.int64).clip(0, LAST)
    return np.asarray(np.bincount(counts, minlength=LAST + 1) / len(ours))


def chance_shares(real: Records) -> Floats:
    """The same of every second real person, from the others: how near records are by chance, (4,)."""
    second = np.arange(len(real)) % 2 == 1
    return nearest_shares(real.take(np.flatnonzero(second)), real.take(np.flatnonzero(~second)))


def _rows(records: Records) -> np.ndarray:
    """A 1 for each value that a person has, (n, d + 4)."""
    two = np.eye(2, dtype=np.float32)
    return np.hstack([records.X.astype(np.float32), two[records.y], two[records.protected]])
