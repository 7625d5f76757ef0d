"""One-hot groups of columns, of which one is 1 in each row, and what generators need of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpfair_cli.contracts.arrays import Floats, Ints, Mask
from dpfair_cli.kinds.records import Domain, Records


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
        """True for the entries of a block (groups, widest group) that stand for a column."""
        return np.arange(self.widest) < np.array(self.sizes)[:, None]

    @cached_property
    def places(self) -> Ints:
        """The index of each column in a flattened block (groups, widest group), (d,)."""
        return np.flatnonzero(self.room)

    def rows(self, chosen: Ints) -> Floats:
        """The 0/1 rows (n, d) with a 1 at the `chosen` index of each one-hot group."""
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


def require_two_groups(records: Records) -> None:
    """Refuses records whose domain does not have two groups."""
    if len(records.domain.groups) != 2:
        raise ValueError(
            f"the method needs records with two groups, got {len(records.domain.groups)} groups"
        )


def require_both_groups_and_labels(records: Records) -> None:
    """Refuses records that lack one of the two groups or one of the two labels."""
    require_two_groups(records)
    if records.protected.min() == records.protected.max() or records.y.min() == records.y.max():
        raise ValueError("the method needs records of both groups and records with both labels")


def require_a_batch(records: Records, batch_size: int) -> None:
    """Refuses a batch size that is not positive or exceeds the number of records."""
    if not 0 < batch_size <= len(records):
        raise ValueError(
            f"batch_size must be from 1 to {len(records)}, the number of records, got {batch_size}"
        )


def saved_domain(domain: Domain) -> dict[str, Any]:
    """The fields of a domain that the decoding of generated records needs, as JSON."""
    return {
        "attributes": {name: list(places) for name, places in domain.attributes.items()},
        "columns": list(domain.columns),
        "groups": list(domain.groups),
        "values": {name: list(values) for name, values in domain.values.items()},
    }


def restored_domain(saved: Mapping[str, Any]) -> Domain:
    """The domain of generated records that a model file holds."""
    attributes = {name: tuple(places) for name, places in saved["attributes"].items()}
    values = {name: tuple(map(_value, known)) for name, known in saved["values"].items()}
    return Domain(tuple(saved["columns"]), attributes, tuple(saved["groups"]), values=values)


def _value(saved: Any) -> Any:
    """A level of a column, or the two ends of a bin, from the JSON of a model file."""
    return saved if isinstance(saved, str) else tuple(saved)
