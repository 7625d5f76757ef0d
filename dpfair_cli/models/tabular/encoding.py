"""Encoding of a table by its public schema: records whose features all lie in [0, 1].

`decode` turns records with the encoding "binned" into a table with the original columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpfair_cli.contracts.arrays import Floats, Ints
from dpfair_cli.contracts.errors import DpfairError, nearest
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.kinds.records import Domain, Records

Encoding = Literal["one_hot", "ordinal", "binned"]
ROWS_AT_ONCE = 2**13  # rows that are encoded at once; their features fit into a cache
GRID = 2**32  # a number is drawn from this many equally spaced numbers of a bin
BIN_DECIMALS = 9  # undoes the rounding error of scaling an integer to [0, 1] and back


@checked
def encode(frame: pd.DataFrame, schema: Schema, *, encoding: Encoding = "one_hot") -> Records:
    """The rows of `frame` as Records, encoded only with the facts in the public `schema`.

    A number becomes (value - low)/(high - low), clipped to [0, 1].

    Args:
        frame: one record a row.
        schema: the ranges of numeric columns, the levels of other columns, the label and the
            protected column.
        encoding: "one_hot" makes a 0/1 column for every level of a category except the first.
            "ordinal" makes one column for a category, (index of the level) / (levels - 1).
            "binned" makes a 0/1 column for every level and for every bin of a number; `decode` can
            turn such records into a table.

    Raises:
        DpfairError: `check` refuses the table, or a level of the table is not in `schema`.
    """
    check(frame, schema)  # public data only: a refusal would tell of private rows
    return encode_unchecked(frame, schema, encoding=encoding)


def encode_unchecked(frame: pd.DataFrame, schema: Schema, *, encoding: Encoding) -> Records:
    """The rows of `frame` as Records, without the checks of `check`.

    The table may have constant columns or lack a group or a label. Such a table is accepted,
    because an error would reveal private facts about the rows.

    Raises:
        DpfairError: a cell lies outside `schema`; `outside_values.moved_inside` corrects such
            cells.
    """
    columns: list[str] = []
    places: dict[str, tuple[int, ...]] = {}
    standard: list[tuple[float, float]] = []  # one pair for each feature
    for name, attribute in schema.attributes.items():
        names = _columns(name, attribute, encoding)
        places[name] = tuple(range(len(columns), len(columns) + len(names)))
        columns += names
        standard += [_standard(attribute, encoding)] * len(names)
    values = _values(frame, schema) if encoding == "binned" else {}
    domain = Domain(tuple(columns), places, schema.groups, schema.bounds, tuple(standard), values)
    X = _features(frame, schema, encoding)  # (n, d)
    y = places_in(frame[schema.label], (schema.positive,)) + 1  # (n,)
    return Records(X, y, codes(frame[schema.protected], schema.groups), domain)


def _features(frame: pd.DataFrame, schema: Schema, encoding: Encoding) -> Floats:
    """The features of all attributes, (n, d), without a second copy of them in memory."""
    kinds = schema.attributes
    width = sum(len(_columns(name, kind, encoding)) for name, kind in kinds.items())
    X = np.empty((len(frame), width))  # filled below, block by block
    columns = {name: numbers_or_places(frame[name], kind) for name, kind in kinds.items()}
    for first in range(0, len(frame), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        blocks = [features_of(columns[name][rows], kind, encoding) for name, kind in kinds.items()]
        np.concatenate(blocks, axis=1, out=X[rows])
    return X


def check(frame: pd.DataFrame, schema: Schema) -> None:
    """Checks that a fair classifier can be learned from the table.

    Raises:
        DpfairError: a column is missing, has empty cells or a single value; the label is the
            protected column; the label has more than two values, or no row has the positive one.
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
            f"the label {schema.label!r} must have two values, got {len(labels)}: "
            f"{', '.join(labels[:5])} ..."
        )
    if schema.positive not in labels:
        raise DpfairError(
            f"no cell of the label {schema.label!r} is {schema.positive!r}: "
            f"{nearest(schema.positive, labels)}"
        )


def require_two_columns(label: str, protected: str) -> None:
    """Refuses a table in which one column is both label and protected.

    Raises:
        DpfairError: the two names are equal.
    """
    if label == protected:
        raise DpfairError(
            f"label and protected must be two different columns, got {label!r} for both"
        )


def check_column(frame: pd.DataFrame, name: str, role: str) -> None:
    """Refuses a column that is missing, has empty cells, or has a single value.

    Args:
        frame: the table.
        name: the column.
        role: the word for the column in the error message, such as "label".

    Raises:
        DpfairError: the column is refused.
    """
    check_complete(frame, name, role)
    if frame[name].nunique() < 2:
        advice = "delete the column" if role == "column" else "two different values are necessary"
        raise DpfairError(
            f"the {role} {name!r} has the same value in all {len(frame)} rows: {advice}"
        )


def check_complete(frame: pd.DataFrame, name: str, role: str) -> None:
    """Refuses a column that is missing or has empty cells.

    Raises:
        DpfairError: the column is refused.
    """
    if name not in frame:
        raise DpfairError(f"unknown {role} {name!r} in the table: {nearest(name, frame.columns)}")
    missing = int(frame[name].isna().sum())  # counted, so that the message says how many
    if missing:
        raise DpfairError(
            f"the {role} {name!r} has an empty cell in {missing} of {len(frame)} rows: fill "
            "in the cells or delete the rows"
        )


def _columns(name: str, attribute: Numeric | Categorical, encoding: str) -> tuple[str, ...]:
    """The names of the features that encode the attribute `name`."""
    if encoding == "binned":
        return tuple(f"{name}={value}" for value in _value_names(attribute))
    if isinstance(attribute, Numeric) or encoding == "ordinal":
        return (name,)
    return tuple(f"{name}={level}" for level in attribute.levels[1:])


def _value_names(attribute: Numeric | Categorical) -> tuple[str, ...]:
    """The names of the levels of an attribute, or the names of its bins, such as 17..25."""
    if isinstance(attribute, Categorical):
        return attribute.levels
    return tuple(f"{first:g}..{last:g}" for first, last in attribute.all_bins)


def _values(frame: pd.DataFrame, schema: Schema) -> dict[str, tuple[Any, ...]]:
    """The levels or bins of each column, in the order attributes, protected column, label.

    The positive label comes last.
    """
    values: dict[str, tuple[Any, ...]] = {}
    for name, kind in schema.attributes.items():
        values[name] = kind.levels if isinstance(kind, Categorical) else kind.all_bins
    # of a published table, whose labels are public
    found = frame[schema.label].astype(str).unique()
    labels = schema.labels or sorted(found, key=lambda value: value == schema.positive)
    return {**values, schema.protected: schema.groups, schema.label: tuple(labels)}


def _standard(attribute: Numeric | Categorical, encoding: Encoding) -> tuple[float, float]:
    """The public (centre, spread) of the feature that encodes an attribute.

    The result is (0, 1) where the schema gives no centre and spread.
    """
    if isinstance(attribute, Categorical) or not attribute.spread or encoding == "binned":
        return 0.0, 1.0
    size = attribute.high - attribute.low
    return (attribute.centre - attribute.low) / size, attribute.spread / size


def features_of(column: Floats | Ints, attribute: Numeric | Categorical, encoding: str) -> Floats:
    """The features that encode one attribute, (n, features).

    `column` has the numbers of a numeric column or the places of the levels of another, (n,).
    """
    if isinstance(attribute, Numeric):
        inside = column.clip(attribute.low, attribute.high)
        scaled = (inside - attribute.low) / (attribute.high - attribute.low)
        return _binned(scaled, attribute) if encoding == "binned" else scaled[:, None]
    size = len(attribute.levels)
    if encoding == "ordinal":
        return column[:, None] / (size - 1)  # (n, 1)
    first = 0 if encoding == "binned" else 1
    indicators = np.eye(size)[:, first:]  # (levels, levels) or (levels, levels - 1)
    return indicators.take(cast("Ints", column), axis=0)  # (n, features)


def numbers_or_places(column: pd.Series, attribute: Numeric | Categorical) -> Floats | Ints:
    """The numbers of a numeric column, or the places of the levels of another, (n,).

    Raises:
        DpfairError: a cell is no finite number, or no level.
    """
    if isinstance(attribute, Categorical):
        smallest = np.min_scalar_type(len(attribute.levels))  # a byte a cell for most columns
        return codes(column, attribute.levels).astype(smallest)
    if column.dtype == float:
        values = column.to_numpy()
    else:
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    finite = np.isfinite(values)
    if not finite.all():
        wrong = column[~finite]
        raise DpfairError(
            f"column {column.name!r} must contain numbers only, but {len(wrong)} rows "
            f"contain text, such as {wrong.iloc[0]!r}: correct the cells, or give levels of "
            "the column in a domain file"
        )
    return values


def _binned(scaled: Floats, attribute: Numeric) -> Floats:
    """A 0/1 column for each bin, (n, bins), with a 1 for the bin of each number.

    The bin of a number is the last bin whose first number is not larger.
    """
    firsts = [first for first, _ in attribute.all_bins]
    numbers = (attribute.low + scaled * (attribute.high - attribute.low)).round(BIN_DECIMALS)
    places = np.searchsorted(firsts, numbers, side="right").clip(1) - 1  # (n,)
    return np.asarray(np.eye(len(firsts))[places])


def codes(column: pd.Series, levels: tuple[str, ...]) -> Ints:
    """The index of each value in `levels`, (n,).

    Raises:
        DpfairError: a value is not in `levels`.
    """
    places = places_in(column, levels)  # -1 for an unknown level
    if (places < 0).any():
        unknown = column[places < 0].astype(str)
        first, count = unknown.iloc[0], int((unknown == unknown.iloc[0]).sum())
        raise DpfairError(
            f"column {column.name!r} has the unknown level {first!r} in {count} rows: "
            f"{nearest(first, levels)}"
        )
    return places


def places_in(column: pd.Series, levels: tuple[str, ...]) -> Ints:
    """The index of each value in `levels`, -1 for a value that is no level, (n,)."""
    if isinstance(column.dtype, pd.CategoricalDtype) and column.notna().all():
        texts, rows = pd.Series(column.cat.categories), column.cat.codes.to_numpy()
        return places_in(texts, levels)[rows]  # once for each different text
    return pd.Index(levels).get_indexer(pd.Index(column.astype(str))).astype(np.int64)


def decode(records: Records, *, rng: np.random.Generator) -> pd.DataFrame:
    """The table of the original columns: levels as text, numbers drawn uniformly from their bins.

    Numbers are integers if both ends of all bins of the column are.

    Raises:
        ValueError: the records do not have the encoding "binned".
    """
    domain = records.domain
    if not domain.values:
        raise ValueError(
            "records can be turned into a table only if all their columns are levels or bins: load "
            "the data set with encoding=binned"
        )
    attributes = domain.attributes.values()
    places = [records.X[:, list(columns)].argmax(axis=1) for columns in attributes]
    places += [records.protected, records.y]
    chosen = zip(domain.values.items(), places, strict=True)
    return pd.DataFrame({name: _decoded(place, known, rng) for (name, known), place in chosen})


def _decoded(places: Ints, known: Sequence[Any], rng: np.random.Generator) -> NDArray[Any]:
    """The level, or a random number from the bin, at each of the `places` in `known`, (n,)."""
    if isinstance(known[0], str):
        return np.asarray(known)[places]
    firsts, lasts = np.array(known, dtype=float)[places].T
    if np.all(np.array(known) % 1 == 0):  # whole numbers stay whole
        return np.asarray(rng.integers(firsts.astype(np.int64), lasts.astype(np.int64) + 1))
    return np.asarray(firsts + (lasts - firsts) * (rng.integers(GRID, size=len(places)) / GRID))
