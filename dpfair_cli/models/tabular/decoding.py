"""Tables of values from records with numbers, such as those that a generator draws."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpfair_cli.contracts.missing_numbers import PRESENT, IsMissing
from dpfair_cli.contracts.schemas import Categorical, Numeric, Schema
from dpfair_cli.kinds.records import Records
from dpfair_cli.models.tabular.encoding import BIN_DECIMALS


def table_of_values(records: Records, schema: Schema, *, whole: bool = True) -> pd.DataFrame:
    """The table whose records with the encoding "one_hot" these are.

    The numbers of a column of whole numbers are rounded, unless `whole` is False. A level is the
    one whose feature is above one half, and the first level if there is none.
    """
    columns = {}
    for name, places in records.domain.attributes.items():
        kind, X = schema.attributes[name], records.X[:, list(places)]
        if isinstance(kind, Categorical):
            levels = np.insert(X, 0, 0.5, axis=1).argmax(axis=1)
            columns[name] = np.array(kind.levels)[levels]
            continue
        numbers = (kind.low + X[:, 0] * (kind.high - kind.low)).round(BIN_DECIMALS)
        columns[name] = np.rint(numbers).astype(np.int64) if whole and is_whole(kind) else numbers
    columns[schema.protected] = np.array(schema.groups)[records.protected]
    columns[schema.label] = np.array(schema.labels)[records.y]
    return with_blanks(pd.DataFrame(columns), schema)


def with_blanks(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """A table of attributes as a table of columns, which are blank where a number is missing."""
    for second, kind in schema.attributes.items():
        if isinstance(kind, IsMissing):
            numbers = frame[kind.of]
            if numbers.dtype.kind == "i":  # whole numbers stay so beside blanks
                numbers = numbers.astype("Int64")
            kept = numbers.where(frame[second] == PRESENT)
            frame = frame.assign(**{kind.of: kept}).drop(columns=second)
    return frame


def is_whole(kind: Numeric) -> bool:
    """Whether a column has whole numbers, which ends of its range without a decimal point say."""
    return isinstance(kind.low, int) and isinstance(kind.high, int)


def table_of_features(records: Records) -> pd.DataFrame:
    """The table of features between 0 and 1, of groups as `protected` and of labels as `label`."""
    found = pd.DataFrame(records.X, columns=list(records.columns))
    groups = np.array(records.domain.groups)[records.protected]
    return found.assign(protected=groups, label=records.y)
