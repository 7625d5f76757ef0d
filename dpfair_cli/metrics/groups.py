"""A mean over everybody and over each group: the numbers of a disparity before any difference is
taken.
"""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints


def by_group(values: Floats, groups: Ints, group_count: int) -> Floats:
    """The mean of `values` (n,) over all records and over those of each group, (1 + groups,); NaN
    over nobody.
    """
    records = np.bincount(groups, minlength=group_count)
    sums = np.bincount(groups, weights=values, minlength=group_count)
    means = np.divide(sums, records, out=np.full(group_count, np.nan), where=records > 0)
    return np.concatenate([[values.mean()], means])


def sizes(groups: Ints, group_count: int) -> Floats:
    """How many records there are, and of each group, (1 + groups,)."""
    return np.concatenate([[len(groups)], np.bincount(groups, minlength=group_count)]).astype(float)
