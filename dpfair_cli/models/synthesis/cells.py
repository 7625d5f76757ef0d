"""An index of the records of each cell (group, label), for sampling conditional on the cell."""

from __future__ import annotations

import numpy as np

from dpfair_cli.contracts.arrays import Ints
from dpfair_cli.kinds.records import Records


class Cells:
    """The records of each cell (group, label) of a data set with two groups.

    Raises:
        ValueError: a cell has no record.
    """

    def __init__(self, records: Records) -> None:
        cell = 2 * records.protected + records.y
        self.order, self.sizes = np.argsort(cell, kind="stable"), np.bincount(cell, minlength=4)
        self.starts = np.cumsum(self.sizes) - self.sizes
        for place, size in enumerate(self.sizes):
            if not size:
                group = records.domain.groups[place // 2]
                raise ValueError(
                    f"every group must have records of both labels, but group {group!r} has "
                    f"none with label {place % 2}"
                )

    def rows(self, cells: Ints, rng: np.random.Generator) -> Ints:
        """The index of a random record of each of the `cells`, (b,).

        A cell is a combination of group and label, and `cells` (b,) has the number of a cell for
        each result.
        """
        return np.asarray(self.order[self.starts[cells] + rng.integers(self.sizes[cells])])
