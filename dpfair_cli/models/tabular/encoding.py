"""A tidy table and its public schema become Records: every feature in [0, 1], whatever the rows
say.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.kinds.records import Domain, Records

Encoding = Literal["one_hot", "ordinal", "binned"]
BIN_DECIMALS = 9  # rounding takes away what scaling to [0, 1] and back did to a whole number


@checked
def encode(frame: pd.DataFrame, schema: Schema, *, encoding: Encoding = "one_hot") -> Records:
    """The rows of `frame` as Records, by the public knowledge in `schema` alone: no row moves
    another row's features.

    A number becomes (value - low) / (high - low), clipped to [0, 1]. A category becomes, by
    `encoding`, "one_hot": a 0/1 column for each level but the first, or "ordinal": one column,
    level index / (levels - 1). "binned" has a 0/1 column for every level and for every bin of a
    number, so that the rows can be decoded again.

    Raises:
        DpfairError: the table is refused by `check`, or holds a level that is not in `schema`.
    """
    check(frame, schema)
    return encode_unchecked(frame, schema, encoding=encoding)


def encode_unchecked(frame: pd.DataFrame, schema: Schema, *, encoding: Encoding) -> Records:
    """The same of a table that may be constant, empty of a group or of one label: a refusal would
    tell of its rows.

    Raises:
        DpfairError: a cell lies outside `schema`; see `moved_inside` of outside_values.py.
    """
    names = {
        name: _columns(name, attribute, encoding) for name, attribute in schema.attributes.items()
    }
    blocks = [
        _block(frame[name], attribute, encoding) for name, attribute in schema.attributes.items()
    ]
    starts = accumulate((len(columns) for columns in names.values()), initial=0)
    places = {name: tuple(range(*span)) for name, span in zip(names, pairwise(starts), strict=True)}
    standard = tuple(
        _standard(schema.attributes[name], encoding)
        for name, columns in names.items()
        for _ in columns
    )
    values = _values(frame, schema) if encoding == "binned" else {}
    domain = Domain(
        tuple(sum(names.values(), ())), places, schema.groups, schema.bounds, standard, values
    )
    y = np.asarray(frame[schema.label].astype(str) == schema.positive, dtype=np.int64)  # (n,)
    return Records(np.hstack(blocks), y, codes(frame[schema.protected], schema.groups), domain)


def check(frame: pd.DataFrame, schema: Schema) -> None:
    """Refuse, in one line, a table that no fair classifier can be learned from.

    Raises:
        DpfairError: a column is not there, has missing values or one value only, the label is the
            protected column, or the label has more than two values or never the positive one.
    """
    require_two_columns(schema.label, schema.protected)
    roles = dict.fromkeys(schema.attributes, "column") | {
        schema.label: "label",
        schema.protected: "protected column",
    }
    for name, role in roles.items():
        check_column(frame, name, role)
    labels = sorted(frame[schema.label].astype(str).unique())
    if len(labels) > 2:
        raise DpfairError(
            f"label {schema.label!r} has {len(labels)} values, not two: {', '.join(labels[:5])} ..."
        )
    if schema.positive not in labels:
        raise DpfairError(
            f"label {schema.label!r} is never {schema.positive!r}: {nearest(schema.positive, labels)}"
        )


def require_two_columns(label: str, protected: str) -> None:
    """Refuse one column in two roles."""
    if label == protected:
        raise DpfairError(f"column {label!r} is both label and protected: name two columns")


def check_column(frame: pd.DataFrame, name: str, role: str) -> None:
    """Refuse a column that is not there, is not complete, or never varies; `role` is what the
    message calls it.
    """
    check_complete(frame, name, role)
    if frame[name].nunique() < 2:
        advice = "drop the column" if role == "column" else "two different values are needed"
        raise DpfairError(f"{role} {name!r} is the same in all {len(frame)} rows: {advice}")


def check_complete(frame: pd.DataFrame, name: str, role: str) -> None:
    """Refuse a column that is not there or not complete, whatever its values are."""
    if name not in frame:
        raise DpfairError(f"no {role} {name!r} in the table: {nearest(name, frame.columns)}")
    missing = int(frame[name].isna().sum())
    if missing:
        raise DpfairError(
            f"{role} {name!r} has no value in {missing} of {len(frame)} rows: fill or drop them"
        )


def _columns(name: str, attribute: Numeric | Categorical, encoding: str) -> tuple[str, ...]:
    if encoding == "binned":
        return tuple(f"{name}={value}" for value in _words(attribute))
    if isinstance(attribute, Numeric) or encoding == "ordinal":
        return (name,)
    return tuple(f"{name}={level}" for level in attribute.levels[1:])


def _words(attribute: Numeric | Categorical) -> tuple[str, ...]:
    """The names of the levels, or of the bins: 17..25."""
    if isinstance(attribute, Categorical):
        return attribute.levels
    return tuple(f"{first:g}..{last:g}" for first, last in attribute.all_bins)


def _values(frame: pd.DataFrame, schema: Schema) -> dict[str, tuple[Any, ...]]:
    """The levels or bins of each column of the table: attributes, protected column, label (the
    positive one last).
    """
    attributes = {
        name: kind.levels if isinstance(kind, Categorical) else kind.all_bins
        for name, kind in schema.attributes.items()
    }
    labels = schema.labels or sorted(
        frame[schema.label].astype(str).unique(), key=lambda value: value == schema.positive
    )
    return {**attributes, schema.protected: schema.groups, schema.label: tuple(labels)}


def _standard(attribute: Numeric | Categorical, encoding: Encoding) -> tuple[float, float]:
    """The public (centre, spread) of a column of X: (0, 1) unless the schema gives those of the
    number.
    """
    if isinstance(attribute, Categorical) or not attribute.spread or encoding == "binned":
        return 0.0, 1.0
    size = attribute.high - attribute.low
    return (attribute.centre - attribute.low) / size, attribute.spread / size


def _block(column: pd.Series, attribute: Numeric | Categorical, encoding: str) -> Floats:
    """One attribute as features, (n, number of its columns)."""
    if isinstance(attribute, Numeric):
        scaled = _scaled(column, attribute)
        return (
            _binned(scaled, attribute) if encoding == "binned" else scaled[:, None]
        )  # (n, bins) or (n, 1)
    places, size = codes(column, attribute.levels), len(attribute.levels)
    if encoding == "ordinal":
        return places[:, None] / (size - 1)  # (n, 1)
    return np.eye(size)[
        places, 0 if encoding == "binned" else 1 :
    ]  # (n, levels), or (n, levels - 1)


def _scaled(column: pd.Series, attribute: Numeric) -> Floats:
    values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    wrong = column[~np.isfinite(values)]
    if len(wrong):
        raise DpfairError(
            f"column {column.name!r} is no number in {len(wrong)} rows: the first is {wrong.iloc[0]!r}"
        )
    inside = values.clip(attribute.low, attribute.high)
    return (inside - attribute.low) / (attribute.high - attribute.low)


def _binned(scaled: Floats, attribute: Numeric) -> Floats:
    """A 0/1 column for each bin: a number is in the last one that begins at it or below, (n, bins)."""
    firsts = [first for first, _ in attribute.all_bins]
    numbers = (attribute.low + scaled * (attribute.high - attribute.low)).round(BIN_DECIMALS)
    return np.asarray(
        np.eye(len(firsts))[np.searchsorted(firsts, numbers, side="right").clip(1) - 1]
    )


def codes(column: pd.Series, levels: tuple[str, ...]) -> Ints:
    """The place of each value in `levels`, (n,).

    Raises:
        DpfairError: a value is none of them.
    """
    places = pd.Index(levels).get_indexer(pd.Index(column.astype(str))).astype(np.int64)
    if (places < 0).any():
        unknown = column[places < 0].astype(str)
        first, count = unknown.iloc[0], int((unknown == unknown.iloc[0]).sum())
        raise DpfairError(
            f"column {column.name!r} is {first!r} in {count} rows: {nearest(first, levels)}"
        )
    return places
