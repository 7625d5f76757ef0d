"""The tables that the authors' script reads, and their synthetic replicas.

The script reads three files of UCI as the repository of FairBalance (Yu, Chakraborty and Menzies
2024) has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.models.tabular.encoding import check, codes, features_of, numbers_or_places

from ..models.attribute_records import AttributeRecords

REPOSITORY = (
    "https://raw.githubusercontent.com/hil-se/FairBalance/"
    "ca921a2ead607eb6b874e2f876e8ee7c25405d74/data/"
)
FOLDER = "fairbalance"  # below a data folder
BINARY = ("0", "1")


def file(name: str, *, sha256: str, size: int) -> dp.File:
    """A file of the repository of FairBalance."""
    urls = (REPOSITORY + name,)
    return dp.File(f"{FOLDER}/{name}", sha256=sha256, size=size, urls=urls, licence="CC BY 4.0")


@dataclass(frozen=True)
class ScriptTable:
    """A file whose rows become records with one randomised attribute."""

    file: dp.File
    schema: dp.Schema  # the ranges and levels, which are public
    randomised: str  # the attribute that each individual randomises, with the levels 0 and 1
    # the table of the schema from that of the file
    prepare: Callable[[pd.DataFrame], pd.DataFrame]
    separator: str = ";"
    names: tuple[str, ...] = ()  # of the columns, if the file has no heading

    def read(self, folder: Path) -> pd.DataFrame:
        """The table below `folder`, with the columns of the schema."""
        names = list(self.names) or None  # pandas takes the first line for data if there are names
        frame = pd.read_csv(folder / self.file.path, sep=self.separator, names=names)
        frame = self.prepare(frame)
        columns = [*self.schema.attributes, self.schema.protected, self.schema.label]
        return frame[list(dict.fromkeys(columns))]

    def load(self, folder: Path) -> AttributeRecords:
        """The records below `folder`."""
        return self._records(self.read(folder))

    def replica(self, name: str) -> dp.Replica:
        """The declaration of the synthetic replica in the file `<name>.csv.gz`."""
        return dp.Replica(path=lambda folder: folder / f"{name}.csv.gz", load=self._load_replica)

    def _load_replica(self, path: Path) -> AttributeRecords:
        # the first lines of a replica say in comments how it was made
        return self._records(pd.read_csv(path, comment="#", keep_default_na=False))

    def _records(self, frame: pd.DataFrame) -> AttributeRecords:
        """The rows of a table as records: numbers in [0, 1], and a 0/1 column for each level.

        Raises:
            DpfairError: the table does not have the columns and levels of the schema.
        """
        schema = self.schema
        check(frame, schema)
        parts: list[dp.Floats] = []
        columns: list[str] = []
        places: dict[str, tuple[int, ...]] = {}
        for name, kind in schema.attributes.items():
            if isinstance(kind, dp.Categorical):
                encoding, names = "binned", [f"{name}={level}" for level in kind.levels]
            else:
                encoding, names = "one_hot", [name]
            parts.append(features_of(numbers_or_places(frame[name], kind), kind, encoding))
            places[name] = tuple(range(len(columns), len(columns) + len(names)))
            columns += names
        domain = dp.Domain(tuple(columns), places, schema.groups)
        y = np.asarray(frame[schema.label].astype(str) == schema.positive, dtype=np.int64)
        return AttributeRecords(
            np.hstack(parts),
            y,
            codes(frame[schema.protected], schema.groups),
            domain,
            randomised=(self.randomised,),
            protected_attribute=schema.protected if schema.protected == self.randomised else "",
        )
