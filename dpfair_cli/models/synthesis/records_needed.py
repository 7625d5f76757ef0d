"""Which records must be there so that a generator, or an adversary, can be trained on them."""

from __future__ import annotations

from dpfair_cli.kinds.records import Records


def require_two_groups(records: Records) -> None:
    """Refuse records of a domain with one group, or with three."""
    if len(records.domain.groups) != 2:
        raise ValueError(f"two groups are needed, got {len(records.domain.groups)}")


def require_both_groups_and_labels(records: Records) -> None:
    """Refuse records who are not of two groups and both labels."""
    require_two_groups(records)
    if records.protected.min() == records.protected.max() or records.y.min() == records.y.max():
        raise ValueError("records of both groups and both labels are needed")


def require_a_batch(records: Records, batch_size: int) -> None:
    """Refuse fewer records than a batch."""
    if not 0 < batch_size <= len(records):
        raise ValueError(
            f"batch_size must lie between 1 and the {len(records)} records, got {batch_size}"
        )
