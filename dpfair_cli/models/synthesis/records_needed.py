"""Checks that a generator or an adversary can be trained on records."""

from __future__ import annotations

from dpfair_cli.kinds.records import Records


def require_two_groups(records: Records) -> None:
    """Refuses records whose domain does not have two groups.

    Raises:
        ValueError: the domain does not have two groups.
    """
    if len(records.domain.groups) != 2:
        raise ValueError(
            f"the method needs records with two groups, got {len(records.domain.groups)} groups"
        )


def require_both_groups_and_labels(records: Records) -> None:
    """Refuses records that lack one of the two groups or one of the two labels.

    Raises:
        ValueError: a group or a label is missing.
    """
    require_two_groups(records)
    if records.protected.min() == records.protected.max() or records.y.min() == records.y.max():
        raise ValueError("the method needs records of both groups and records with both labels")


def require_a_batch(records: Records, batch_size: int) -> None:
    """Refuses a batch size that is not positive or exceeds the number of records.

    Raises:
        ValueError: the batch size is not between 1 and the number of records.
    """
    if not 0 < batch_size <= len(records):
        raise ValueError(
            f"batch_size must be from 1 to {len(records)}, the number of records, got {batch_size}"
        )
