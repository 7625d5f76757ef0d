"""The tables of codes that the authors made of public data, and their synthetic replicas."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import dpfair_cli.plugin as dp
from dpfair_cli.kinds.local_records import LocalRecords
from dpfair_cli.models.tabular.encoding import encode


def coded(names: dict[str, int]) -> dict[str, dp.Categorical]:
    """The attributes of a table of codes: attribute `name` has the levels 0 to names[name] - 1."""
    return {name: dp.Categorical(tuple(map(str, range(size)))) for name, size in names.items()}


@dataclass(frozen=True)
class AuthorsTable:
    """A table of codes whose rows become records with randomised attributes."""

    file: dp.File  # the published file
    # the label, the protected column and the levels of the attributes, which are public
    schema: dp.Schema
    randomised: tuple[str, ...]  # the attributes that the authors randomise

    def read(self, folder: Path) -> pd.DataFrame:
        """The table of codes below `folder`, without columns that the schema does not name."""
        columns = [*self.schema.attributes, self.schema.label]
        # as texts, because a code is a level and not a number
        return pd.read_csv(folder / self.file.path, usecols=columns, dtype=str)

    def load(self, folder: Path) -> LocalRecords:
        """The records below `folder`, with a 0/1 column for each level."""
        return self._records(self.read(folder))

    def replica(self, name: str) -> dp.Replica:
        """The declaration of the synthetic replica in the file `<name>.csv.gz`."""
        return dp.Replica(path=lambda folder: folder / f"{name}.csv.gz", load=self._load_replica)

    def _load_replica(self, path: Path) -> LocalRecords:
        # the first lines of a replica say in comments how it was made
        frame = pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        return self._records(frame)

    def _records(self, frame: pd.DataFrame) -> LocalRecords:
        """The rows of a table as records. The protected column is also an attribute.

        Raises:
            DpfairError: the table does not have the columns and levels of the schema.
        """
        plain = encode(frame, self.schema, encoding="binned")  # (n, levels of all attributes)
        # not the columns alone: scores of the groups need the protected attribute
        parts = plain.X, plain.y, plain.protected, plain.domain
        protected = self.schema.protected
        return LocalRecords(*parts, randomised=self.randomised, protected_attribute=protected)
