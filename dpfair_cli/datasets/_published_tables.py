"""What the data sets of published tables share: replicas, and samples with given group sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import Replica
from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode


def table_replica(
    name: str, schema: Schema, *, keep: Callable[..., Records] = lambda records, **options: records
) -> Replica:
    """The declaration of the synthetic replica in the file `<name>.csv.gz`.

    The synthetic rows are read in the same way as the real ones.

    `keep(records, **options)` selects the same records of the replica as of the real data.
    """

    def load(path: Path, *, encoding: Encoding = "one_hot", **options: Any) -> Records:
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        return keep(encode(frame, schema, encoding=encoding), **options)

    return Replica(path=lambda folder: folder / f"{name}.csv.gz", load=load)


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
