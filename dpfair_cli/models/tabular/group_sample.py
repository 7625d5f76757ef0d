"""A stratified sample: a given number of records of each group, drawn without replacement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpfair_cli.kinds.records import Records


def sample_groups(records: Records, sizes: Sequence[int], *, rng: np.random.Generator) -> Records:
    """A random sample with sizes[k] records of group k, in the order of `records`.

    Raises:
        ValueError: a group has fewer records than `sizes` asks for.
    """
    rows = []
    for group, size in enumerate(sizes):
        members = np.flatnonzero(records.protected == group)
        if len(members) < size:
            raise ValueError(
                f"the data must have at least {size} records of group "
                f"{records.domain.groups[group]!r}, so that the sample can have {size}, "
                f"got {len(members)}: use data with more records of this group"
            )
        rows.append(rng.choice(members, size, replace=False))
    return records.take(np.sort(np.concatenate(rows)))
