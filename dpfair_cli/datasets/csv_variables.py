"""A user's own table for causal discovery: any csv (or csv.gz) whose columns are all categories, or
all numbers.

With `domain`, the YAML file of `datasets/csv.py`, only the columns named there are used and their
levels and ranges are public; a number becomes -1 at its low end and 1 at its high end. What lies
outside is moved inside by the rule of csv.py (what is no number becomes 0, a level that is not
listed the last one listed), so that no record can refuse the table. Without it levels and ranges
are read from the data: text and few whole numbers are categories, other numbers are standardised,
and a column that never varies is refused; a `PrivacyLeakWarning` says so, and no privacy guarantee
holds.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from dpfair_cli.contracts.arrays import LARGEST, Floats, Ints
from dpfair_cli.contracts.declarations import DataSource
from dpfair_cli.contracts.errors import DpfairError, PrivacyLeakWarning
from dpfair_cli.contracts.parameters import checked
from dpfair_cli.contracts.schemas import Categorical, Kind, Numeric
from dpfair_cli.formats.domain_file import DRAFTED, confirms, read_domain
from dpfair_cli.formats.own_table import (
    TableForm,
    find_form,
    nameless,
    read_columns,
    read_heading,
    read_table,
)
from dpfair_cli.formats.table_profile import (
    TableProfile,
    describe_outside,
    in_short,
    questions_of_identifiers,
)
from dpfair_cli.formats.variables_profile import variables_profile
from dpfair_cli.kinds.variables import Observations
from dpfair_cli.models.tabular.encoding import check_column, codes
from dpfair_cli.models.tabular.outside_values import count_outside, moved_inside

MOST_LEVELS = (
    20  # different whole numbers, or words, up to which a column without a domain is a category
)


@checked
def load(folder: Path, *, file: str, domain: str = "") -> Observations:
    """The Observations of `file`, a path as typed (`folder` is not used).

    Raises:
        DpfairError: a file is not there or not of its form, a column is missing, or numbers stand
            beside categories; without a domain, a column is incomplete or never varies.
    """
    return _observations(_public(file, domain) if domain else _observed(file))


def profile(*, file: str, domain: str) -> TableProfile:
    """What a user should see of the table before anything runs.

    Raises:
        DpfairError: as `load`.
    """
    found = _public(file, domain) if domain else _observed(file)
    heading = read_heading(file, found.form)
    profile = variables_profile(_observations(found), found.kinds, found.frame, heading, found.form)
    outside = {"outside": describe_outside(found.outside, found.frame.size)} if domain else {}
    return replace(profile, facts={**profile.facts, **outside})


class _Read(NamedTuple):
    """The cells of the variables, their kinds, how the file is written, and where the kinds are
    from.

    `outside` is how many cells the domain file does not know; without one there are none.
    """

    frame: pd.DataFrame
    kinds: Mapping[str, Kind]
    form: TableForm
    bounds: Literal["public", "data"]
    outside: int = 0


def _observations(table: _Read) -> Observations:
    return Observations(
        _values(table.frame, table.kinds), tuple(table.kinds), _levels(table.kinds), table.bounds
    )


def _public(file: str, domain: str) -> _Read:
    """What the domain file says of the columns that it names."""
    found = read_domain(domain)
    if (
        len(found.columns) < 2
    ):  # in a file of one column an empty cell would be an empty line, and no row
        raise DpfairError(
            f"{domain} names {len(found.columns)} columns: causal discovery needs two at least"
        )
    _require_one_kind(domain, found.columns)
    if not found.confirmed:
        warnings.warn(f"{domain} {DRAFTED}", PrivacyLeakWarning, 3)
    texts = read_columns(file, found.columns, found.form)
    outside = count_outside(texts, found.columns)
    return _Read(
        moved_inside(texts, found.columns), found.columns, found.form, found.bounds, outside
    )


def _observed(file: str) -> _Read:
    """What the private values themselves say."""
    frame, form = read_table(file), find_form(file)
    warnings.warn(
        f"{file}: ranges and levels are read from the data: give domain=FILE", PrivacyLeakWarning, 3
    )
    kinds = {str(name): _kind(str(name), frame) for name in frame}
    names = questions_of_identifiers(
        {name: frame[name].tolist() for name in kinds}, nameless(list(kinds), form)
    )
    _require_one_kind(file, kinds, *names)
    return _Read(frame, kinds, form, "data")


def _require_one_kind(file: str, kinds: Mapping[str, Kind], *questions: str) -> None:
    """Refuse numbers beside categories: names those of which there are fewer, and asks whether some
    name rows.
    """
    numbers = [name for name, kind in kinds.items() if isinstance(kind, Numeric)]
    others = [name for name in kinds if name not in numbers]
    if numbers and others:
        few, what = (
            (numbers, "numbers to bin")
            if len(numbers) <= len(others)
            else (others, "categories to recode")
        )
        ways_out = "; ".join([f"{what} or drop: {in_short(few)}", *questions])
        raise DpfairError(
            f"{file}: causal discovery needs categories alone or numbers alone; {ways_out}"
        )


def _kind(name: str, frame: pd.DataFrame) -> Kind:
    """Categories where a column has few words or whole numbers, else the numbers' mean and
    deviation.
    """
    check_column(frame, name, "column")
    values, numbers = sorted(frame[name].unique()), pd.to_numeric(frame[name], errors="coerce")
    if numbers.isna().any() and len(values) > MOST_LEVELS:
        raise DpfairError(
            f"column {name!r} has {len(values)} different values that are no numbers: bin or drop it"
        )
    if numbers.isna().any():
        return Categorical(tuple(values))
    if np.abs(numbers).max() > LARGEST:
        raise DpfairError(
            f"column {name!r} holds a number beyond {LARGEST:g}, perhaps inf: drop the row, or rescale it"
        )
    if len(values) <= MOST_LEVELS and (numbers % 1 == 0).all():
        return Categorical(tuple(sorted(values, key=float)))
    if not numbers.std() > 0:
        raise DpfairError(
            f"column {name!r} is the same number in all {len(frame)} rows, or nearly: drop or rescale it"
        )
    return Numeric(-np.inf, np.inf, numbers.mean(), numbers.std())


def _values(frame: pd.DataFrame, kinds: Mapping[str, Kind]) -> Any:
    """Codes or numbers, (n, p)."""
    return np.column_stack([_column(frame[name], kind) for name, kind in kinds.items()])


def _column(column: pd.Series, kind: Kind) -> Ints | Floats:
    if isinstance(kind, Categorical):
        return codes(column, kind.levels)
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(dtype=float)
    if np.isnan(numbers).any():
        raise DpfairError(f"column {column.name!r} holds values that are no numbers")
    if kind.spread:
        return np.asarray((numbers - kind.centre) / kind.spread)
    return np.asarray(np.clip(2 * ((numbers - kind.low) / (kind.high - kind.low)) - 1, -1.0, 1.0))


def _levels(kinds: Mapping[str, Kind]) -> tuple[int, ...]:
    return tuple(len(kind.levels) for kind in kinds.values() if isinstance(kind, Categorical))


DATASET = DataSource(
    load=load,
    note="your own csv for causal discovery: file=PATH [, domain=PATH]",
    task="causal_discovery",
    own_files=("file", "domain"),
    public_files=("domain",),
    confirmed=confirms,
    profile=profile,
    version=3,
    truth=False,
)
