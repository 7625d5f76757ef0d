"""A sample with so many records of each group, drawn without replacement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.kinds.records import Records


def sample_groups(records: Records, sizes: Sequence[int], *, rng: np.random.Generator) -> Records:
    """sizes[k] random records of group k, in the order of `records`.

    Raises:
        ValueError: a group is too small.
    """
    rows = []
    for group, size in enumerate(sizes):
        members = np.flatnonzero(records.protected == group)
        if len(members) < size:
            raise ValueError(
                f"group {records.domain.groups[group]!r} has {len(members)} records, not {size}"
            )
        rows.append(rng.choice(members, size, replace=False))
    return records.take(np.sort(np.concatenate(rows)))
