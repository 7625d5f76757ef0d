"""A user's own table for causal discovery: any csv (or csv.gz) whose columns are all categories, or all numbers.

With `domain`, the YAML file of `datasets/csv.py`, only the columns named there are used and their levels and ranges are
public; a number becomes -1 at its low end and 1 at its high end, and is cut there. Without it they are read from the
data: text and few whole numbers are categories, other numbers are standardised, and a column that never varies is
refused; a `PrivacyLeakWarning` says so, and no privacy claim holds.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.declarations import Dataset
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Numeric
from dpfair_cli.datasets.csv import read_domain, read_table
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.tabular.encoding import check_column, check_complete, codes

MOST_LEVELS = 20  # different whole numbers, or words, up to which a column without a domain is a category


@checked
def load(folder: Path, *, file: str, domain: str = "") -> Observations:
    """The Observations of `file`, a path as typed (`folder` is not used).

    Raises:
        DpfairError: a file is not there or not of its form, a column is missing or incomplete, holds a level that the
            domain does not have, never varies although there is no domain, or numbers stand beside categories.
    """
    frame = read_table(file)
    if not domain:
        warnings.warn(f"{file}: ranges and levels are read from the data: give domain=FILE", PrivacyLeakWarning, 2)
    attributes = read_domain(domain) if domain else {str(name): _observed(str(name), frame) for name in frame}
    for name in attributes:
        check_complete(frame, name, "column")
    kinds = {type(kind) for kind in attributes.values()}
    if len(kinds) != 1:
        raise DpfairError(f"{file}: causal discovery needs categories alone or numbers alone: bin or drop columns")
    columns = [_column(frame[name], kind) for name, kind in attributes.items()]
    values: Any = np.column_stack(columns)  # (n, p)
    return Observations(values, tuple(attributes), _levels(attributes), "public" if domain else "data")


def _observed(name: str, frame: pd.DataFrame) -> Numeric | Categorical:
    """Categories where a column has few words or whole numbers, else the numbers' mean and deviation."""
    check_column(frame, name, "column")
    values, numbers = sorted(frame[name].unique()), pd.to_numeric(frame[name], errors="coerce")
    if numbers.isna().any() and len(values) > MOST_LEVELS:
        raise DpfairError(f"column {name!r} has {len(values)} different values that are no numbers: bin or drop it")
    if numbers.isna().any():
        return Categorical(tuple(values))
    if np.abs(numbers).max() > LARGEST:
        raise DpfairError(
            f"column {name!r} holds a number beyond {LARGEST:g}, perhaps inf: drop the row, or rescale it"
        )
    if len(values) <= MOST_LEVELS and (numbers % 1 == 0).all():
        return Categorical(tuple(sorted(values, key=float)))
    if not numbers.std() > 0:
        raise DpfairError(f"column {name!r} is the same number in all {len(frame)} rows, or nearly: drop or rescale it")
    return Numeric(-np.inf, np.inf, numbers.mean(), numbers.std())


def _column(column: pd.Series, kind: Numeric | Categorical) -> Ints | Floats:
    if isinstance(kind, Categorical):
        return codes(column, kind.levels)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    if np.isnan(numbers).any():
        raise DpfairError(f"column {column.name!r} holds values that are no numbers")
    if kind.spread:
        return np.asarray((numbers - kind.centre) / kind.spread)
    return np.asarray(np.clip(2 * (numbers - kind.low) / (kind.high - kind.low) - 1, -1.0, 1.0))


def _levels(attributes: Mapping[str, Numeric | Categorical]) -> tuple[int, ...]:
    return tuple(len(kind.levels) for kind in attributes.values() if isinstance(kind, Categorical))


DATASET = Dataset(
    load=load,
    note="your own csv for causal discovery: file=PATH [, domain=PATH]",
    task="causal_discovery",
    own_files=("file", "domain"),
    public_files=("domain",),
    truth=False,
)
