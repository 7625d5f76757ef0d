"""A table in memory, read by a domain file as a file of it would be: features, and what label and
groups may be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.schemas import Categorical, Kind, Numeric, Schema
from dpfair_cli.formats.domain_file import DomainFile, read_domain
from dpfair_cli.formats.own_records import RecordsSchema, encoded
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.outside_values import as_number


@dataclass(frozen=True)
class FrameDomain:
    """The file, and the kinds of the columns that are features."""

    domain: DomainFile
    kinds: Mapping[str, Kind]

    def schema(
        self, label: str, labels: Sequence[Any], protected: str, groups: Sequence[str]
    ) -> RecordsSchema:
        """Everything that reads a file of these columns, with a label (the favourable value last)
        and groups.
        """
        other, favourable = map(str, labels)
        bounds, names = self.domain.bounds, tuple(groups)
        schema = Schema(
            self.kinds, label, favourable, protected, names, bounds, (other, favourable)
        )
        return RecordsSchema(schema, Categorical(names), self.domain.form)

    def records(self, frame: pd.DataFrame) -> Records:
        """The features of a frame with these columns, each row by itself; label and group mean
        nothing.
        """
        known = self.schema("", ("", "1"), "\0", ("0", "1"))
        nobody = {name: [""] * len(frame) for name in ("", "\0")}
        return encoded(_texts(frame).assign(**nobody), known, encoding="one_hot")

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The lowest and the highest value of each feature: of a level, 0 and 1."""
        lows, highs = np.array(
            [pair for kind in self.kinds.values() for pair in _ends(kind)], dtype=float
        ).T
        return lows, highs

    def levels(self, name: str) -> tuple[str, ...]:
        """What a column may be: its levels, or none where the file says nothing of it, or has a
        range of numbers.
        """
        kind = self.domain.columns.get(name)
        return kind.levels if isinstance(kind, Categorical) else ()


def frame_domain(file: str | Path, columns: Sequence[str]) -> FrameDomain:
    """What a domain file says of the columns of a frame.

    Raises:
        DpfairError: the file is not there or not of its form, or names a column not.
    """
    found = read_domain(str(file))
    for name in columns:
        if name not in found.columns:
            way_out = f"{nearest(name, found.columns)}; or leave it out of X"
            raise DpfairError(f"{file} says nothing of the column {name!r}: {way_out}")
    return FrameDomain(found, {name: found.columns[name] for name in columns})


def _ends(kind: Kind) -> list[tuple[float, float]]:
    return (
        [(kind.low, kind.high)]
        if isinstance(kind, Numeric)
        else [(0.0, 1.0)] * (len(kind.levels) - 1)
    )


def as_classes(levels: Sequence[str], like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Levels in a domain file as values of labels like those of an array: numbers where these are
    numbers.
    """
    if like.dtype.kind in "USO":
        return np.array(levels, dtype=like.dtype if like.dtype.kind == "O" else str)
    return np.array([as_number(level) for level in levels]).astype(like.dtype)


def _texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Every cell as a file would have it: a whole number without a point."""
    return pd.DataFrame({name: list(map(_text, frame[name].tolist())) for name in frame})


def _text(value: Any) -> str:
    return (
        str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()
    )
