"""Rows of 0 and 1 in which each group of columns has exactly one 1: what the generators take and
give.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True)
class OneHotGroups:
    """The number of columns of each group, side by side: d columns in all.

    Networks give the scores of all groups as one block, (n, groups, widest group); `room` says
    which places are real.
    """

    sizes: tuple[int, ...]

    @property
    def widest(self) -> int:
        """The number of columns of the largest group."""
        return max(self.sizes)

    @property
    def columns(self) -> int:
        """D."""
        return sum(self.sizes)

    @cached_property
    def room(self) -> Mask:
        """Which places of a block are columns, (groups, widest group)."""
        return np.arange(self.widest) < np.array(self.sizes)[:, None]

    @cached_property
    def places(self) -> Ints:
        """The place of each column in a block that is laid out flat, (d,)."""
        return np.flatnonzero(self.room)

    def rows(self, chosen: Ints) -> Floats:
        """The rows (n, d) with a 1 at the `chosen` place (n, groups) of each group."""
        block = np.zeros((len(chosen), len(self.sizes), self.widest))
        np.put_along_axis(block, chosen[:, :, None], 1.0, axis=2)
        return np.asarray(block.reshape(len(chosen), -1)[:, self.places])


def attribute_groups(records: Records) -> OneHotGroups:
    """The groups of columns of the records' attributes.

    Raises:
        ValueError: a column is a number, or an attribute has a level without a column.
    """
    if not records.domain.values:
        raise ValueError(
            "a generator takes levels and bins, a column for each: load the data with encoding=binned"
        )
    return OneHotGroups(tuple(map(len, records.domain.attributes.values())))
