"""Records in partitions that never are in one process together, so that only their sums are known.

A method runs on such records if its `fit` accepts the type PartitionedRecords. Such a method reads
the records through the function `total`, which takes Records too:

>>> import numpy as np
>>> from dpfair_cli.kinds.records import Domain, Records
>>> domain = Domain(columns=("age",), attributes={"age": (0,)}, groups=("women", "men"))
>>> X, y, protected = np.array([[0.25], [0.75], [0.5]]), np.array([0, 1, 1]), np.array([0, 0, 1])
>>> records = Records(X, y, protected, domain)
>>> partitions = (records.take(np.array([0])), records.take(np.array([1, 2])))
>>> parted = PartitionedRecords(
...     domain,
...     chosen=(np.array([True]), np.array([True, True])),
...     evaluate=lambda functions: map(lambda f, part: f(part), functions, partitions),
... )
>>> total(parted, lambda part: part.X.sum()), total(records, lambda every: every.X.sum())
(np.float64(1.5), np.float64(1.5))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np

from dpfair_cli.contracts.arrays import Ints, Mask
from dpfair_cli.kinds.records import Domain, Records

OfRecords = Callable[[Records], Any]
"""A function of records whose value is an array."""

Evaluate = Callable[[Sequence[OfRecords]], Iterable[Any]]
"""The values of functions, the k-th on all records of the k-th partition, in this order."""


@dataclass(frozen=True, eq=False)
class PartitionedRecords:
    """n records of individuals, in partitions that other processes can read."""

    domain: Domain  # the public facts about the records
    chosen: tuple[Mask, ...]  # for each partition, the rows that belong to these records
    evaluate: Evaluate  # evaluates one function on each partition

    def __len__(self) -> int:
        return sum(int(np.count_nonzero(rows)) for rows in self.chosen)

    def take(self, rows: Ints) -> PartitionedRecords:
        """The records whose indices are `rows`, in the order of the partitions.

        Raises:
            ValueError: an index occurs twice.
        """
        if len(np.unique(rows)) < len(rows):
            raise ValueError("an index of partitioned records must not occur twice")
        every = np.concatenate(self.chosen)
        kept = np.zeros_like(every)
        # `rows` counts the chosen records, and the masks count all rows of the partitions
        kept[np.flatnonzero(every)[rows]] = True
        ends = np.cumsum([len(rows) for rows in self.chosen])[:-1]
        return PartitionedRecords(self.domain, tuple(np.split(kept, ends)), self.evaluate)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features of a record, (d,)."""
        return self.domain.columns

    @property
    def bounds(self) -> Literal["public", "data"]:
        """The origin of the records' ranges and levels: "public" facts or the "data" themselves."""
        return self.domain.bounds

    def values(self, function: OfRecords) -> Iterable[Any]:
        """The values of a function, one for the records of each partition, in their order."""
        # masks travel to other processes, in an eighth of their size
        return self.evaluate([OfRows(function, np.packbits(rows)) for rows in self.chosen])


def total(records: Any, function: Callable[[Any], Any]) -> Any:
    """The value of a function that is a sum over records, for all records together.

    The values of partitions are added up in the order of the partitions. For records in memory,
    `total` is the value of the function itself.
    """
    if isinstance(records, PartitionedRecords):
        return reduce(np.add, records.values(function))
    return function(records)


def for_each_record(records: Any, function: Callable[[Any], Any]) -> Any:
    """The value of a function that is one number for each of the records, in their order, (n,)."""
    if isinstance(records, PartitionedRecords):
        return np.concatenate(list(records.values(function)))
    return function(records)


@dataclass(frozen=True, eq=False)
class OfRows:
    """A function of some rows of the records of a partition."""

    function: OfRecords  # the function of records that gets the chosen rows only
    packed: Any  # a bit for each row, 1 for the chosen rows

    def __call__(self, records: Records) -> Any:
        """The value of the function on the chosen rows of `records`."""
        chosen = np.unpackbits(self.packed, count=len(records))
        return self.function(records.take(np.flatnonzero(chosen)))
