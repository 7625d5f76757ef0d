"""A synthetic table in place of a real one, read as the real one is."""

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
    """The replica in `<name>.csv.gz`; `keep(records, **options)` takes from it what the data set
    takes of real rows.
    """

    def load(path: Path, *, encoding: Encoding = "one_hot", **options: Any) -> Records:
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        return keep(encode(frame, schema, encoding=encoding), **options)

    return Replica(path=lambda folder: folder / f"{name}.csv.gz", load=load)
