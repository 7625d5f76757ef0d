"""What the data sets of published tables share: loading, replicas, and samples of given groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.declarations import DataSource, File, Replica
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode


def table_source(
    name: str,
    read: Callable[[Path], pd.DataFrame],
    schema: Schema,
    *,
    note: str,
    files: tuple[File, ...],
    rows: int,
    columns: Mapping[str, int],
    groups: tuple[int, ...],
    base_rate: float,
) -> DataSource:
    """The declaration of a table that `read(folder)` returns, with the replica `<name>.csv.gz`.

    The loaded Records must have the given counts: `columns` has the number of features by encoding,
    for "one_hot" and for each encoding with another number; `groups` are the sizes of the groups.
    """

    @checked
    def load(folder: Path, *, encoding: Encoding = "one_hot") -> Records:
        """The Records of the table below `folder`; models/tabular/encoding.py says more."""
        return encode(read(folder), schema, encoding=encoding)

    by_encoding = {("encoding", word): {"columns": count} for word, count in columns.items()}
    del by_encoding["encoding", "one_hot"]  # the default, whose counts are the usual ones
    return DataSource(
        load=load,
        note=note,
        files=files,
        expected={
            "rows": rows,
            "columns": columns["one_hot"],
            "groups": groups,
            "base_rate": base_rate,
        },
        expected_by_option=by_encoding,
        replica=table_replica(name, schema),
    )


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
