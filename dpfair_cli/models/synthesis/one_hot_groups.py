"""One-hot groups of columns: in each row, exactly one column of a group is 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.kinds.records import Records


@dataclass(frozen=True)
class OneHotGroups:
    """The one-hot groups of the d columns of a row.

    A network returns the scores of all groups as one block, (n, groups, widest group), in which
    smaller groups are padded.
    """

    sizes: tuple[int, ...]  # the number of columns of each group

    @property
    def widest(self) -> int:
        """The number of columns of the one-hot group that has the most columns."""
        return max(self.sizes)

    @property
    def columns(self) -> int:
        """The number d of the columns of all one-hot groups together."""
        return sum(self.sizes)

    @cached_property
    def room(self) -> Mask:
        """True for the entries of a block (groups, widest group) that stand for a column.

        A block has one row for each one-hot group, and smaller groups are padded.
        """
        return np.arange(self.widest) < np.array(self.sizes)[:, None]

    @cached_property
    def places(self) -> Ints:
        """The index of each column in a flattened block (groups, widest group), (d,).

        A block has one row for each one-hot group, and smaller groups are padded.
        """
        return np.flatnonzero(self.room)

    def rows(self, chosen: Ints) -> Floats:
        """The 0/1 rows (n, d) with a 1 at the `chosen` index of each one-hot group.

        `chosen` has the shape (n, groups).
        """
        block = np.zeros((len(chosen), len(self.sizes), self.widest))
        np.put_along_axis(block, chosen[:, :, None], 1.0, axis=2)
        return np.asarray(block.reshape(len(chosen), -1)[:, self.places])


def attribute_groups(records: Records) -> OneHotGroups:
    """The groups of columns of the records' attributes.

    Raises:
        ValueError: the records do not have the encoding "binned".
    """
    if not records.domain.values:
        raise ValueError(
            "a generator needs records with a 0/1 column for each level and bin: load the data set "
            "with encoding=binned"
        )
    return OneHotGroups(tuple(map(len, records.domain.attributes.values())))
