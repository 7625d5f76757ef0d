"""Tables whose rows become records with randomised attributes, and their replicas."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from dpfair_cli.contracts.declarations import Replica
from dpfair_cli.contracts.schemas import Categorical, Schema
from dpfair_cli.models.tabular.encoding import encode

from ..models.local_records import LocalRecords


def coded(names: dict[str, int]) -> dict[str, Categorical]:
    """The attributes of a table of codes: attribute `name` has the levels 0 to names[name] - 1."""
    return {name: Categorical(tuple(map(str, range(size)))) for name, size in names.items()}


def local_records(
    frame: pd.DataFrame, schema: Schema, *, randomised: tuple[str, ...]
) -> LocalRecords:
    """The rows of `frame` as records of which the attributes `randomised` are randomised.

    Every level of an attribute has a 0/1 column. The protected column is also an attribute.

    Raises:
        DpfairError: the table does not have the columns and levels of `schema`.
    """
    plain = encode(frame, schema, encoding="binned")  # (n, levels of all attributes)
    parts = plain.X, plain.y, plain.protected, plain.domain
    return LocalRecords(*parts, randomised=randomised, protected_attribute=schema.protected)


def local_replica(name: str, schema: Schema, *, randomised: tuple[str, ...]) -> Replica:
    """The declaration of the synthetic replica in the file `<name>.csv.gz`."""

    def load(path: Path) -> LocalRecords:
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        return local_records(frame, schema, randomised=randomised)

    return Replica(path=lambda folder: folder / f"{name}.csv.gz", load=load)
