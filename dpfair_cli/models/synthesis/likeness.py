"""Similarity of generated and real records: marginals, and distance to the nearest record."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.memory import once_per_records
from dpfair_cli.kinds.records import Records

MOST_ROWS = 2_000  # generated records that are compared; bounds the time
AT_ONCE = 200  # generated records of a block; bounds the memory
LAST = 3  # the last share counts records that differ in at least 3 columns
COLLAPSED = 0.2  # total variation distance of an attribute that counts as collapse; our choice


def marginal_differences(made: Records, real: Records) -> Floats:
    """The distance of made from real records in the distribution of each attribute, (attributes,).

    The distance is the total variation distance. Made records without exactly one level of an
    attribute count as one more level, which no real record has.
    """
    found = []
    for own in real.domain.attributes.values():
        ours, theirs = made.X[:, list(own)], real.X[:, list(own)]
        is_valid = ours.sum(axis=1) == 1  # (n,)
        shares = (ours * is_valid[:, None]).mean(axis=0)
        gaps = np.abs(shares - theirs.mean(axis=0))
        found.append((gaps.sum() + np.mean(~is_valid)) / 2)
    return np.array(found)


def nearest_shares(made: Records, real: Records) -> Floats:
    """The shares of made records that differ from the nearest real record in 0, 1, 2, >= 3 columns.

    Columns are the attributes, the label and the group. A made record with several levels of an
    attribute, or none, differs from every real record.
    """
    theirs = _rows(real)  # (n, d + 4)
    ours = _rows(made)[:MOST_ROWS]
    ones = len(real.domain.attributes) + 2  # of a real record: one for each column
    parts = np.array_split(ours, -(-len(ours) // AT_ONCE))
    common = np.concatenate([(part @ theirs.T).max(axis=1) for part in parts])
    differing = ours.sum(axis=1) + ones - 2 * common  # of the 0/1 columns, two for each column
    counts = np.ceil(differing / 2).astype(np.int64).clip(0, LAST)
    return np.asarray(np.bincount(counts, minlength=LAST + 1) / len(ours))


@once_per_records
def chance_shares(real: Records) -> Floats:
    """The shares of real records by the number of columns in which their nearest record differs.

    The shares (4,) are those for 0, 1, 2 and 3 or more columns. Every second real record is
    compared with the other real records. The shares show how near two samples of one distribution
    are, as a measure for `nearest_shares`.
    """
    second = np.arange(len(real)) % 2 == 1
    return nearest_shares(real.take(np.flatnonzero(second)), real.take(np.flatnonzero(~second)))


def _rows(records: Records) -> np.ndarray:
    """The records as one table of 0/1 columns, (n, d + 4)."""
    two = np.eye(2, dtype=np.float32)
    return np.hstack([records.X.astype(np.float32), two[records.y], two[records.protected]])
