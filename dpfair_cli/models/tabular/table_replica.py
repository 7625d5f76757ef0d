"""Replicas of tables: synthetic rows that are read in the same way as the real ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from dpfair_cli.contracts.declarations import Replica
from dpfair_cli.contracts.schemas import Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding, encode


def table_replica(
    name: str, schema: Schema, *, keep: Callable[..., Records] = lambda records, **options: records
) -> Replica:
    """The declaration of the synthetic replica in the file `<name>.csv.gz`.

    `keep(records, **options)` selects the same records of the replica as of the real data.
    """

    def load(path: Path, *, encoding: Encoding = "one_hot", **options: Any) -> Records:
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        return keep(encode(frame, schema, encoding=encoding), **options)

    return Replica(path=lambda folder: folder / f"{name}.csv.gz", load=load)
