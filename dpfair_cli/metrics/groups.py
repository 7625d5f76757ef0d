"""Means over all records and over each group, from which disparities are computed."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints


def by_group(values: Floats, groups: Ints, group_count: int) -> Floats:
    """The mean of `values` (n,) over all records and over each group, (1 + groups,).

    `groups` (n,) is the number of the group of each record. The mean of an empty group is NaN.
    """
    records = np.bincount(groups, minlength=group_count)  # 0 for a group without a record
    sums = np.bincount(groups, weights=values, minlength=group_count)
    means = np.divide(sums, records, out=np.full(group_count, np.nan), where=records > 0)
    return np.concatenate([[values.mean()], means])


def sizes(groups: Ints, group_count: int) -> Floats:
    """The number of all records and of the records of each group, (1 + groups,).

    `groups` (n,) is the number of the group of each record.
    """
    return np.concatenate([[len(groups)], np.bincount(groups, minlength=group_count)]).astype(float)
