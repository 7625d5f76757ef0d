"""Reads a DataFrame with a domain file; the result is that of a file with the same cells.

Also the groups of the records of an array, from one column of values of any type or from several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.missing_numbers import as_attributes
from dpfair_cli.contracts.schemas import Categorical, ColumnType, Numeric, Schema
from dpfair_cli.formats.domain_file import DomainFile, read_domain
from dpfair_cli.formats.persons import rows_of_persons
from dpfair_cli.formats.table_in_model import replaced_in_words
from dpfair_cli.formats.user_records import RecordsSchema, encode_cells
from dpfair_cli.formats.user_table import TableForm
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import Encoding
from dpfair_cli.models.tabular.outside_values import (
    as_number,
    as_text,
    cells_outside,
    distinct_texts,
    levels_of_values,
)

# names of placeholder columns for the label and the protected column; no heading contains "\0"
NO_LABEL, NO_GROUP = "", "\0"


@dataclass(frozen=True)
class FrameDomain:
    """The domain of a DataFrame whose columns are all features, from a domain file."""

    domain: DomainFile  # the whole file
    features: Mapping[str, ColumnType]  # the type of each column of the frame
    encoding: Encoding = "one_hot"

    @classmethod
    def of_columns(
        cls, features: Mapping[str, ColumnType], encoding: Encoding = "one_hot"
    ) -> FrameDomain:
        """The domain of a frame whose features have these types, without a domain file."""
        domain = DomainFile(features, TableForm(), confirmed=True, has_ledger=False)
        return cls(domain, features, encoding)

    def schema(
        self, label: str, labels: Sequence[Any], protected: str, groups: Sequence[str]
    ) -> RecordsSchema:
        """The schema of a table with the features of this domain, a label and a protected column.

        `labels` are the two values of the label, the favourable value last. `groups` are the names
        of the groups.
        """
        other, favourable = map(str, labels)  # a schema has texts, as a file does
        bounds, names = self.domain.bounds, tuple(groups)
        attributes = as_attributes(self.features)
        schema = Schema(
            attributes, label, favourable, protected, names, bounds, (other, favourable)
        )
        return RecordsSchema(schema, Categorical(names), self.domain.form)

    def rows_of_persons(self, frame: pd.DataFrame) -> Ints:
        """The row of a frame that a fit uses of each person, (persons,)."""
        return rows_of_persons(distinct_texts(list(map(as_text, frame[self.domain.person]))))

    def cells(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The columns of the features as texts, as a csv file would contain them."""
        return pd.DataFrame(
            {name: _cells(frame[name], kind) for name, kind in self.features.items()}
        )

    def replaced(self, cells: pd.DataFrame) -> str:
        """What `records` replaces because it lies outside the domain, in words; empty if nothing.

        `cells` are those of the method `cells`.
        """
        return replaced_in_words("X", cells_outside(cells, self.features), len(cells))

    def records(self, cells: pd.DataFrame) -> Records:
        """The encoded features as Records; label and group are placeholders.

        Each row is encoded independently of the others. `cells` are those of the method `cells`.
        """
        known = self.schema(NO_LABEL, ("", "1"), NO_GROUP, ("0", "1"))
        return encode_cells(cells, known, encoding=self.encoding)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The lowest and the highest value of each encoded feature; 0 and 1 for a level."""
        pairs: list[tuple[float, float]] = []
        for feature in as_attributes(self.features).values():
            if isinstance(feature, Numeric):
                pairs.append((feature.low, feature.high))
            else:
                pairs += [(0.0, 1.0)] * (len(feature.levels) - 1)  # one-hot without the first level
        lows, highs = np.array(pairs, dtype=float).T
        return lows, highs

    def levels(self, name: str) -> tuple[str, ...]:
        """The levels of the column `name`; empty if the domain file does not give levels for it.

        The domain file may give a range, or lack the column.
        """
        column = self.domain.columns.get(name)
        return column.levels if isinstance(column, Categorical) else ()


def frame_domain(file: str | Path, columns: Sequence[str]) -> FrameDomain:
    """The domain of a DataFrame with these columns, from a domain file.

    Raises:
        DpfairError: the file is missing or malformed, or does not name one of the columns.
    """
    found = read_domain(str(file))
    if found.person and found.person not in columns:
        raise DpfairError(
            f"X lacks the column {found.person!r}, which names the persons in {file}: add it to X, "
            "where it is no feature"
        )
    features = [name for name in columns if name != found.person]
    for name in features:
        if name not in found.columns:
            way_out = f"{nearest(name, found.columns)}; or delete the column from X"
            raise DpfairError(f"{file} has no entry for the column {name!r}: {way_out}")
    return FrameDomain(found, {name: found.columns[name] for name in features})


def as_classes(levels: Sequence[str], like: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The levels of a domain file, converted to the type of the labels `like`.

    Raises:
        ValueError: the labels are numbers, and a level is not a number.
    """
    if like.dtype.kind == "O":
        return np.array(levels, dtype=like.dtype)
    if like.dtype.kind in "US":
        return np.array(levels, dtype=str)
    truths = {"False": 0.0, "True": 1.0} if like.dtype.kind == "b" else {}  # as pandas writes them
    numbers = np.array([truths.get(level, as_number(level)) for level in levels])
    if np.isnan(numbers).any():
        raise ValueError(
            f"the labels are of the type {like.dtype}, but the domain file has the levels "
            f"{', '.join(levels)}: give labels that are levels of the domain file"
        )
    return numbers.astype(like.dtype)


def _cells(column: pd.Series, kind: ColumnType) -> list[str]:
    """The cells of a column as text, as a csv file would contain them.

    True and False are the numbers 1 and 0 unless they are levels of the column.
    """
    values = column.tolist()
    if isinstance(kind, Numeric):
        return [as_text(int(value) if isinstance(value, bool) else value) for value in values]
    levels = levels_of_values(values, kind.levels)
    return [level or as_text(value) for level, value in zip(levels, values, strict=True)]


def require_same_order(X: Any, **others: Any) -> None:
    """Refuses values for the rows of X whose index is that of X in another order.

    Raises:
        ValueError: the index of one of `others`, which are named, is a permutation of that of X.
    """
    index = getattr(X, "index", None)
    for name, values in others.items():
        own = getattr(values, "index", None)
        if not (isinstance(index, pd.Index) and isinstance(own, pd.Index)) or own.equals(index):
            continue
        if len(own) == len(index) and own.isin(index).all() and index.isin(own).all():
            raise ValueError(
                f"{name} has the index of X in another order, and rows are matched by their order: "
                f"give {name}.loc[X.index]"
            )


def group_values(values: Any, n: int) -> list[Any]:
    """The group of each record, (n,); the texts of several columns are joined by a comma.

    Raises:
        ValueError: `values` does not have one row for each of the n records, or a group is missing.
    """
    table = np.asarray(values)
    if table.ndim not in (1, 2) or len(table) != n:
        raise ValueError(
            f"sensitive_features must have one group for each of {n} records, got the shape "
            f"{table.shape}"
        )
    rows = table.reshape(n, -1)
    missing = np.flatnonzero(pd.isna(rows).any(axis=1))
    if len(missing):
        raise ValueError(
            f"sensitive_features lacks the group of {len(missing)} of {n} records, such as record "
            f"{missing[0]}: leave out these records, or give them a group with a name"
        )
    if rows.shape[1] == 1:
        return list(rows[:, 0].tolist())
    return [", ".join(map(as_text, row)) for row in rows.tolist()]


def places_of(values: Sequence[Any], known: Sequence[str]) -> Ints:
    """The index of each of the values in `known`, (n,); -1 for a value that is not in `known`.

    A value is in `known` if it has the same text or is the same number, as in a file.
    """
    place: dict[str | None, int] = {name: k for k, name in enumerate(known)}
    levels = levels_of_values(values, known)
    return np.array([place.get(level, -1) for level in levels], dtype=np.int64)
